#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// How long a process waits for a file that another one has locked.
///
/// The limit is measured by the clock, however long each pause or system call really takes.
package struct LockPatience: Sendable {
    /// A moment of the clock that measures the limit; it stands still while the machine sleeps.
    package typealias Instant = SuspendingClock.Instant

    /// The longest time to wait.
    package let limit: Duration
    private let sleep: @Sendable (Duration) -> Void

    /// The pause between two attempts where the kernel cannot wake this process.
    private static let pause = Duration.milliseconds(5)

    /// Makes a patience.
    ///
    /// - Parameters:
    ///   - limit: The longest time to wait.
    ///   - sleep: Stops the thread for a time.
    package init(limit: Duration, sleep: @escaping @Sendable (Duration) -> Void = Self.stopThread) {
        self.limit = limit
        self.sleep = sleep
    }

    /// The present moment.
    package static var now: Instant { SuspendingClock.now }

    /// Attempts something until it is done.
    ///
    /// - Parameters:
    ///   - deadline: When to give up; one attempt is made in any case.
    ///   - isDone: An attempt.
    /// - Returns: Whether it is done.
    package func wait<Failure: Error>(
        until deadline: Instant,
        for isDone: () throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        while try !isDone() {
            let rest = Self.now.duration(to: deadline)
            if rest <= .zero { return false }
            // Processes that were refused at the same moment must not all come back at the same moment.
            pause(min(rest, Self.pause * Double.random(in: 0.5...1)))
        }
        return true
    }

    /// Stops the thread for a time.
    func pause(_ duration: Duration) {
        if duration > .zero { sleep(duration) }
    }

    /// Stops the calling thread.
    package static func stopThread(for duration: Duration) {
        let (seconds, attoseconds) = duration.components
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        // A signal ends the pause early, which does no harm.
        nanosleep(&time, nil)
    }
}
