import Dispatch
import Foundation
import Synchronization

/// Threads that do the same work at the same time; of their own, because a pool has as many as the machine has cores.
enum Crew {
    /// Starts the threads and returns when all are done.
    ///
    /// - Parameters:
    ///   - threads: How many.
    ///   - work: The work, which receives the number of its thread.
    static func run(_ threads: Int, _ work: @escaping @Sendable (Int) throws -> Void) throws {
        let (finished, failure) = (DispatchSemaphore(value: 0), Failure())
        for index in 0..<threads {
            Thread.detachNewThread {
                do {
                    try work(index)
                } catch {
                    failure.first.withLock { $0 = $0 ?? error }
                }
                finished.signal()
            }
        }
        for _ in 0..<threads { finished.wait() }
        if let error = failure.first.withLock({ $0 }) { throw error }
    }

    private final class Failure: Sendable {
        let first = Mutex<(any Error)?>(nil)
    }
}
