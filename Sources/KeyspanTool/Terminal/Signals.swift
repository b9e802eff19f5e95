import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// SIGINT and SIGTERM, held back so that a command can end in its own time.
///
/// There is no handler, so nothing runs at an arbitrary instant. Made before other threads are, which inherit the mask.
struct TerminationSignals {
    private let signals: sigset_t

    /// Holds the signals back from now on.
    init() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        sigaddset(&signals, SIGTERM)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        self.signals = signals
    }

    /// Calls the closure once, on a thread of its own, when one of them has arrived.
    func onArrival(_ receive: @escaping @Sendable () -> Void) {
        let signals = signals
        DispatchQueue(label: "keyspan.signals").async {
            var signals = signals
            var signal: Int32 = 0
            // It fails only for a set that has no signals.
            sigwait(&signals, &signal)
            receive()
        }
    }
}

/// SIGXFSZ, which ends a process that writes beyond the limit of the size of files, such as that of `ulimit -f`.
enum FileSizeSignal {
    /// Ignores it from now on, so that such a write fails like any other: the command cleans up and says why.
    static func ignore() {
        signal(SIGXFSZ, SIG_IGN)
    }
}
