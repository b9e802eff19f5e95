internal import DequeModule
internal import Dispatch

/// Threads for the work of stores in the background: few, and more only while those at work make no progress.
///
/// A disk that does not answer keeps the threads that wait for it, and others take their places.
package final class BlockingPool: Sendable {
    /// The threads of the process.
    package static let ofProcess = BlockingPool()

    private typealias Job = @Sendable () -> Void

    private struct State {
        var waiting: Deque<Job> = []
        var threads = 0
        /// How many jobs have begun.
        var begun: UInt64 = 0
        /// Whether the progress of the threads is looked at.
        var isWatched = false
    }

    /// The most threads while they make progress.
    private static let size = 16
    /// How long a job waits for a thread that makes no progress.
    private static let patience = DispatchTimeInterval.milliseconds(5)
    private static let timer = DispatchQueue(label: "keyspan.blocking-pool")

    private let state = Locked(State())

    private init() {}

    /// Runs work on one of the threads.
    package func run(_ work: @escaping @Sendable () -> Void) {
        let (mustStart, mustWatch) = state.withLock { state in
            state.waiting.append(work)
            if state.threads < Self.size {
                state.threads += 1
                return (true, false)
            }
            defer { state.isWatched = true }
            return (false, !state.isWatched)
        }
        if mustStart { startThread() }
        if mustWatch { watch(since: nil) }
    }

    /// Runs work on one of the threads after a while.
    package func run(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        if delay <= .zero { return run(work) }
        let (seconds, attoseconds) = min(delay, .seconds(365 * 86_400)).components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        Self.timer.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { self.run(work) }
    }

    private func startThread() {
        BlockingThread.run {
            while let job = self.nextJob() { job() }
        }
    }

    private func nextJob() -> Job? {
        state.withLock { state in
            guard let job = state.waiting.popFirst() else {
                state.threads -= 1
                return nil
            }
            state.begun += 1
            return job
        }
    }

    /// Starts another thread if no job begins within the patience.
    private func watch(since last: UInt64?) {
        Self.timer.asyncAfter(deadline: .now() + Self.patience) { [self] in
            let (begun, mustStart) = state.withLock { state -> (UInt64?, Bool) in
                if state.waiting.isEmpty {
                    state.isWatched = false
                    return (nil, false)
                }
                let isStuck = state.begun == last
                if isStuck { state.threads += 1 }
                return (state.begun, isStuck)
            }
            if mustStart { startThread() }
            if let begun { watch(since: begun) }
        }
    }
}

/// Runs the work of one store, one job after the other, on threads that the stores of the process share.
package final class BlockingQueue: Sendable {
    private struct State {
        var waiting: Deque<@Sendable () -> Void> = []
        var isRunning = false
    }

    private let state = Locked(State())

    /// Makes a queue without work.
    package init() {}

    /// Runs work once, not before the delay is over, and not on the calling thread.
    package func run(after delay: Duration = .zero, _ work: @escaping @Sendable () -> Void) {
        if delay > .zero { return BlockingPool.ofProcess.run(after: delay) { self.run(work) } }
        let isIdle = state.withLock { state in
            state.waiting.append(work)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if isIdle { BlockingPool.ofProcess.run(runNext) }
    }

    /// Runs the first work of the queue on the calling thread, before any other.
    package func runFirst(_ work: () -> Void) {
        state.withLock { $0.isRunning = true }
        work()
        end()
    }

    private func runNext() {
        state.withLock { $0.waiting.popFirst() }?()
        end()
    }

    /// Goes on with the next work, after that of other queues.
    private func end() {
        let hasMore = state.withLock { state in
            state.isRunning = !state.waiting.isEmpty
            return state.isRunning
        }
        if hasMore { BlockingPool.ofProcess.run(runNext) }
    }
}
