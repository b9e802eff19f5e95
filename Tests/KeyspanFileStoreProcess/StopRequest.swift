/// How a process is asked to end its work and to exit as programs do: by SIGTERM, or by the end of the tests.
enum StopRequest {
    private static let parent = getppid()

    /// Holds the signal back from now on in all threads; called before there are others.
    static func begin() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        _ = parent
    }

    /// Whether it was asked.
    static var isMade: Bool {
        var signals = sigset_t()
        sigpending(&signals)
        // Who started it may have ended without the signal.
        return sigismember(&signals, SIGTERM) == 1 || getppid() != parent
    }

    /// Returns when it is asked.
    static func wait() {
        while !isMade { usleep(2_000) }
    }
}
