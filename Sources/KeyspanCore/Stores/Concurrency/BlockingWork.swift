internal import DequeModule

/// Work that blocks its thread, such as a wait for a disk, done beside the cooperative pool.
///
/// The pool has about as many threads as the machine has processors. A task that blocks one of them holds up every other
/// task of the program, so asynchronous forms of blocking calls run here, on threads of their own.
///
/// A store has a limited number of them, which no other one waits for: its disk may not answer.
package final class BlockingWork: Sendable {
    /// The work for stores that have no threads of their own.
    package static let shared = BlockingWork(limit: 16)

    private typealias Job = @Sendable () -> Void

    private struct Lane {
        var threads = 0
        /// The jobs that wait for a thread.
        var waiting: Deque<Job> = []
    }

    /// The most blocked threads of one store.
    private let limit: Int
    private let lanes = Locked<[ObjectIdentifier?: Lane]>([:])

    /// Makes a place for work, without threads yet.
    ///
    /// - Parameter limit: The most threads of one store.
    package init(limit: Int) {
        self.limit = limit
    }

    /// Runs work on a thread outside of the cooperative pool, in the scope of the caller.
    ///
    /// The work is not canceled with the task, because a write that has begun cannot be taken back.
    ///
    /// - Parameters:
    ///   - store: The store that the work waits for, which the work retains; `nil` for the only one.
    ///   - work: The work.
    package func run<Result: Sendable, Failure: Error>(
        for store: AnyObject? = nil,
        _ work: @escaping @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let scope = OperationScope.current
        let outcome: Swift.Result<Result, Failure> = await withCheckedContinuation { continuation in
            start(of: store.map { ObjectIdentifier($0) }) {
                continuation.resume(returning: OperationScope.run(in: scope) { Swift.Result(catching: work) })
            }
        }
        return try outcome.get()
    }

    /// Starts a job, or lets it wait for the first thread that becomes free.
    private func start(of store: ObjectIdentifier?, _ job: @escaping Job) {
        let isFree = lanes.withLock { lanes in
            var lane = lanes[store] ?? Lane()
            defer { lanes[store] = lane }
            guard lane.threads < limit else {
                lane.waiting.append(job)
                return false
            }
            lane.threads += 1
            return true
        }
        guard isFree else { return }
        BlockingThread.run {
            var next: Job? = job
            while let job = next {
                job()
                next = self.nextJob(of: store)
            }
        }
    }

    /// The next job for a thread that has finished one; `nil` if the thread ends.
    private func nextJob(of store: ObjectIdentifier?) -> Job? {
        lanes.withLock { lanes in
            guard var lane = lanes[store] else { return nil }
            let job = lane.waiting.popFirst()
            if job == nil { lane.threads -= 1 }
            lanes[store] = lane.threads > 0 ? lane : nil
            return job
        }
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
    /// The work runs on a thread of the library, at most 64 at a time in the process; further work waits for its turn. It is not canceled
    /// with the task.
    ///
    /// - Parameter work: The work.
    /// - Returns: The result of the work.
    /// - Throws: The error of the work.
    @discardableResult
    public static func blocking<Result: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        try await blockingWork.run(work)
    }

    // The work may be for any disk, and may never end on one that does not answer. The number is that of the text above.
    private static let blockingWork = BlockingWork(limit: 64)
}
