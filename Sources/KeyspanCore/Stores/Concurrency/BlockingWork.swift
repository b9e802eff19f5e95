package import Dispatch

/// Work that blocks its thread, such as a wait for a disk, done beside the cooperative pool.
///
/// The pool has about as many threads as the machine has processors. A task that blocks one of them holds up every other
/// task of the program, so asynchronous forms of blocking calls run here, on threads that Dispatch adds as they are needed.
package enum BlockingWork {
    private static let sharedQueue = DispatchQueue(label: "keyspan.blocking-work", attributes: .concurrent)

    /// Runs work on a thread outside of the cooperative pool, in the scope of the caller.
    ///
    /// The work is not canceled with the task, because a write that has begun cannot be taken back.
    ///
    /// - Parameters:
    ///   - queue: The queue whose thread is blocked; a shared concurrent one by default.
    ///   - work: The work.
    package static func run<Result: Sendable, Failure: Error>(
        on queue: DispatchQueue? = nil,
        _ work: @escaping @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let scope = OperationScope.current
        let outcome: Swift.Result<Result, Failure> = await withCheckedContinuation { continuation in
            (queue ?? sharedQueue).async {
                continuation.resume(returning: OperationScope.run(in: scope) { Swift.Result(catching: work) })
            }
        }
        return try outcome.get()
    }
}
