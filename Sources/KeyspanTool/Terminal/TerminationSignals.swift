#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// SIGINT and SIGTERM, held back so that a loop can ask for them and end in its own time.
///
/// There is no handler, so nothing runs at an arbitrary instant. Made before other threads are, which inherit the mask.
struct TerminationSignals {
    private var signals = sigset_t()

    /// Holds the signals back from now on.
    init() {
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        sigaddset(&signals, SIGTERM)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Whether one of them has arrived.
    var haveArrived: Bool {
        var pending = sigset_t()
        sigpending(&pending)
        return sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1
    }
}
