#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// How long a process waits for a file that another one has locked.
///
/// It asks again and again instead of waiting in the kernel, because a process that is stopped keeps its locks: without a
/// limit all others would stop with it.
package struct LockPatience: Sendable {
    /// The longest time to wait.
    package let limit: Duration
    private let sleep: @Sendable (Duration) -> Void

    /// Short, and no longer for who has waited long: else those who come late would always be first.
    private static let pause = Duration.microseconds(500)

    /// Makes a patience.
    ///
    /// - Parameters:
    ///   - limit: The longest time to wait.
    ///   - sleep: Stops the thread for a time.
    package init(limit: Duration, sleep: @escaping @Sendable (Duration) -> Void = Self.stopThread) {
        self.limit = limit
        self.sleep = sleep
    }

    /// Asks until the answer is yes.
    ///
    /// - Returns: Whether it was; not if the time is up.
    func wait<Failure: Error>(until isDone: () throws(Failure) -> Bool) throws(Failure) -> Bool {
        var waited = Duration.zero
        while try !isDone() {
            guard waited < limit else { return false }
            // Processes that were refused at the same moment must not all come back at the same moment.
            let uneven = Self.pause * Double.random(in: 0.1...1)
            sleep(uneven)
            waited += uneven
        }
        return true
    }

    /// Stops the calling thread.
    package static func stopThread(for duration: Duration) {
        let (seconds, attoseconds) = duration.components
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        // A signal ends the pause early, which does no harm.
        nanosleep(&time, nil)
    }
}
