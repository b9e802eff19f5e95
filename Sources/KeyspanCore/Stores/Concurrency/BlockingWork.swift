internal import DequeModule
internal import Dispatch

/// Work that blocks its thread, such as a wait for a disk, done beside the cooperative pool.
///
/// The pool has about as many threads as the machine has processors. A task that blocks one of them holds up every other
/// task of the program, so asynchronous forms of blocking calls run here, on threads of their own.
///
/// Each job gets a serial queue, because a serial queue gets a thread at once. A concurrent queue whose threads are all blocked
/// gets one more each second, so with many waiting commits the last one would begin seconds late.
package final class BlockingWork: Sendable {
    /// The work of stores that have no queues of their own.
    package static let shared = BlockingWork(limit: 64)

    private struct State {
        var idle: [DispatchQueue] = []
        var count = 0
        /// The jobs that wait for a queue.
        var waiting: Deque<@Sendable () -> Void> = []
    }

    /// The most queues, and so the most blocked threads.
    private let limit: Int
    private let state = Locked(State())

    /// Makes a place for work, without threads yet.
    ///
    /// - Parameter limit: The most threads. Dispatch has about 250 for the serial queues of a process, and file watchers and
    ///   timers need some of them.
    package init(limit: Int) {
        self.limit = limit
    }

    /// Runs work on a thread outside of the cooperative pool, in the scope of the caller.
    ///
    /// The work is not canceled with the task, because a write that has begun cannot be taken back.
    package func run<Result: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let scope = OperationScope.current
        let outcome: Swift.Result<Result, Failure> = await withCheckedContinuation { continuation in
            start {
                continuation.resume(returning: OperationScope.run(in: scope) { Swift.Result(catching: work) })
            }
        }
        return try outcome.get()
    }

    /// Starts a job on an idle queue, or on the first one that becomes idle.
    private func start(_ job: @escaping @Sendable () -> Void) {
        let queue: DispatchQueue? = state.withLock { state in
            if let queue = state.idle.popLast() { return queue }
            guard state.count < limit else {
                state.waiting.append(job)
                return nil
            }
            state.count += 1
            return DispatchQueue(label: "keyspan.blocking-work")
        }
        if let queue { run(job, on: queue) }
    }

    private func run(_ job: @escaping @Sendable () -> Void, on queue: DispatchQueue) {
        queue.async {
            job()
            self.finishJob(on: queue)
        }
    }

    /// Starts the next job on a queue that has finished one, or keeps the queue for a later job.
    private func finishJob(on queue: DispatchQueue) {
        let next: (@Sendable () -> Void)? = state.withLock { state in
            if let job = state.waiting.popFirst() { return job }
            state.idle.append(queue)
            return nil
        }
        if let next { run(next, on: queue) }
    }
}

extension Defaults {
    /// Runs work that may wait for a disk or a network without blocking a thread of the cooperative pool.
    ///
    /// It is the asynchronous form of calls that have none of their own, such as opening a store or a migration:
    ///
    /// ```swift
    /// extension Defaults.Keys {
    ///     static let runs = Key<Int>("runs", default: 0)
    /// }
    ///
    /// let plan = Defaults.MigrationPlan("app", Defaults.Migration(to: 1, .rename("launchCount", to: .runs)))
    /// let defaults = Defaults(InMemoryStore())
    /// try await Defaults.blocking { try defaults.migrate(plan) }
    /// ```
    ///
    /// The work runs on a thread of the library, at most 64 at a time. It is not canceled with the task.
    ///
    /// - Parameter work: The work.
    /// - Returns: The result of the work.
    /// - Throws: The error of the work.
    @discardableResult
    public static func blocking<Result: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        try await BlockingWork.shared.run(work)
    }
}
