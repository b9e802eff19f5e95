import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// SIGHUP, SIGINT, SIGQUIT, SIGTERM and the rarer signals that end a command.
///
/// Their default action does so at once, even while the command waits for its input or for a reader of its output. A handler in place of
/// that runs at an arbitrary instant, so it calls only what is safe then. A signal that was ignored at the start, as by nohup(1), stays so.
enum TerminationSignals {
    private typealias Action = @convention(c) (Int32) -> Void

    private static let all = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGVTALRM]
    /// The last signal that was held, or 0.
    private static let held = Atomic<Int32>(0)
    /// The program that receives the held signals, or 0.
    private static let recipient = Atomic<pid_t>(0)
    /// The address of the text that a signal writes as it ends the command, or 0.
    private static let lastWords = Atomic<UInt>(0)

    /// Lets the signals end the command.
    ///
    /// The system omits their default action for process 1 of a container, which therefore ends with the status that a shell shows for
    /// the signal.
    static func begin() {
        let exit: Action = { _exit(128 + $0) }
        setAction(of: all, to: getpid() == 1 ? exit : SIG_DFL)
    }

    /// Lets SIGINT and SIGTERM end the command with status 0.
    static func succeed() {
        setAction(of: [SIGINT, SIGTERM]) { _ in _exit(0) }
    }

    /// Ends the process as the signal does by default.
    static func end(by number: Int32) -> Never {
        signal(number, SIG_DFL)
        // The thread may be one that signals are blocked for.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(number)
        // This is process 1.
        _exit(128 + number)
    }

    // MARK: Commands that clean up

    /// Runs a closure, and lets the signals end the command when that has returned.
    static func deferred<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
        hold()
        defer { release() }
        try body()
    }

    /// The signal that has arrived since ``hold()``.
    static var arrived: Int32? {
        let number = held.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    /// Holds the signals until ``release()``, so that the command cleans up before it ends.
    ///
    /// - Parameter alsoStopping: Whether SIGTSTP is held as well.
    static func hold(alsoStopping: Bool = false) {
        // A handler must not be the first to use a global variable, whose initialization takes a lock.
        held.store(0, ordering: .relaxed)
        recipient.store(0, ordering: .relaxed)
        holdOn()
        if alsoStopping {
            setAction(of: [SIGTSTP]) { number in
                _ = TerminationSignals.held.compareExchange(expected: 0, desired: number, ordering: .relaxed)
            }
        }
    }

    private static func holdOn() {
        setAction(of: all) { number in
            TerminationSignals.held.store(number, ordering: .relaxed)
            let recipient = TerminationSignals.recipient.load(ordering: .relaxed)
            if recipient > 0 { TerminationSignals.pass(number, to: recipient) }
        }
        // Also if it was ignored at the start: the command has set the alarm itself.
        signal(SIGALRM) { _ in
            let recipient = TerminationSignals.recipient.load(ordering: .relaxed)
            if recipient > 0 { kill(recipient, SIGKILL) }
        }
    }

    /// Runs a closure that may wait and that may be ended at any time, and holds the signals again when that has returned.
    ///
    /// - Parameters:
    ///   - text: The text that a signal writes to standard error as it ends the command.
    ///   - body: The closure, which does not run if a held signal has arrived before.
    /// - Returns: Whether it has run.
    static func unheld<Failure: Error>(saying text: String, _ body: () throws(Failure) -> Void) throws(Failure) -> Bool
    {
        // It is never freed, because a handler may run on any thread.
        lastWords.store(UInt(bitPattern: strdup(text)), ordering: .relaxed)
        setAction(of: all) { number in
            if let words = UnsafePointer<CChar>(bitPattern: TerminationSignals.lastWords.load(ordering: .relaxed)) {
                _ = write(STDERR_FILENO, words, strlen(words))
            }
            TerminationSignals.end(by: number)
        }
        defer { holdOn() }
        if arrived != nil { return false }
        try body()
        return true
    }

    /// Lets the signals end or stop the command again, as a held one does now.
    static func release() {
        begin()
        setAction(of: [SIGTSTP], to: SIG_DFL)
        guard let arrived else { return }
        if arrived != SIGTSTP { end(by: arrived) }
        raise(arrived)
    }

    /// Passes held signals on to a program, which is killed if it has not ended five seconds after one that is not that of
    /// a key.
    static func passOn(to program: pid_t) {
        recipient.store(program, ordering: .relaxed)
        // It may have arrived just before.
        if let arrived { pass(arrived, to: program) }
    }

    private static func pass(_ number: Int32, to program: pid_t) {
        kill(program, number)
        // The signals of keys can be commands of an interactive program, which then goes on.
        if number == SIGINT || number == SIGQUIT { return }
        kill(program, SIGCONT)
        alarm(5)
    }

    /// Ends ``passOn(to:)`` when the program has ended, and before its number can be that of another one.
    static func endPassingOn() {
        recipient.store(0, ordering: .relaxed)
        alarm(0)
    }

    /// Forgets the signal of a key that was for the program to which it was passed on.
    static func forgetKeys() {
        for number in [SIGINT, SIGQUIT] { _ = held.compareExchange(expected: number, desired: 0, ordering: .relaxed) }
    }

    private static func setAction(of numbers: [Int32], to action: Action?) {
        for number in numbers {
            let former = signal(number, action)
            if unsafeBitCast(former, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(number, SIG_IGN) }
        }
    }
}

/// The signals that end a process because of a write: SIGXFSZ beyond the limit for the size of files, for example of `ulimit -f`, and SIGPIPE
/// without a reader.
enum WriteSignals {
    static let all = [SIGXFSZ, SIGPIPE]

    /// Ignores them from now on, so that such a write fails like any other, and the command cleans up and reports the error.
    static func ignore() {
        for number in all { signal(number, SIG_IGN) }
    }
}
