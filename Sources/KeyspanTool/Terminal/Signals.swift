import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// SIGINT and SIGTERM, blocked so that a command can end in an orderly way.
///
/// A thread waits for them in place of a handler, which would run at an arbitrary instant. Create this before other threads,
/// which inherit the mask.
struct TerminationSignals {
    private let signals: sigset_t

    /// Blocks the signals from now on.
    init() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        sigaddset(&signals, SIGTERM)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        self.signals = signals
    }

    /// Calls the closure once, on its own thread, when one of the signals arrives.
    func onArrival(_ receive: @escaping @Sendable () -> Void) {
        let signals = signals
        DispatchQueue(label: "keyspan.signals").async {
            var signals = signals
            var signal: Int32 = 0
            // It fails only for a set without signals.
            sigwait(&signals, &signal)
            receive()
        }
    }
}

extension TerminationSignals {
    /// Runs a closure, and lets the signals that end a process wait until it has returned.
    ///
    /// The other threads are those of the library and of Dispatch, which block these signals.
    static func deferred<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
        var (signals, before) = (sigset_t(), sigset_t())
        sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_BLOCK, &signals, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try body()
    }
}

/// SIGXFSZ, which ends a process that exceeds the limit for the size of files, for example of `ulimit -f`.
enum FileSizeSignal {
    /// Ignores it from now on, so that such a write fails like any other, and the command cleans up and reports the error.
    static func ignore() {
        signal(SIGXFSZ, SIG_IGN)
    }
}
