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
        /// How many jobs run, and those of them that have begun since the last look.
        var (running, young) = (0, 0)
        /// The running jobs that had begun before the look before the last one.
        var stuck = 0
        /// How often the jobs were looked at.
        var looks: UInt64 = 0
        /// Whether another look follows.
        var isWatched = false

        /// How many threads more may work.
        var room: Int { BlockingPool.size - (threads - stuck) }
    }

    /// The most threads that make progress.
    private static let size = 16
    /// The time between two looks at jobs that others wait for.
    private static let patience = DispatchTimeInterval.milliseconds(50)
    private static let timer = DispatchQueue(label: "keyspan.blocking-pool")

    private let state = Locked(State())

    private init() {}

    /// Runs work on one of the threads.
    package func run(_ work: @escaping @Sendable () -> Void) {
        let (mustStart, mustWatch) = state.withLock { state in
            state.waiting.append(work)
            if state.room > 0 {
                state.threads += 1
                return (true, false)
            }
            defer { state.isWatched = true }
            return (false, !state.isWatched)
        }
        if mustStart { startThread() }
        if mustWatch { watch() }
    }

    /// Runs work on one of the threads after a while.
    package func run(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        Self.wait(delay) { self.run(work) }
    }

    /// Calls what begins work after a while, which must not block.
    static func wait(_ delay: Duration, _ begin: @escaping @Sendable () -> Void) {
        if delay <= .zero { return begin() }
        timer.asyncAfter(deadline: .now() + .nanoseconds(delay.wholeNanoseconds), execute: begin)
    }

    private func startThread() {
        BlockingThread.run {
            var last: UInt64?
            while let (job, look) = self.nextJob(after: last) {
                job()
                last = look
            }
        }
    }

    /// Takes the next job.
    ///
    /// - Parameter last: The number of the look before the job that the thread has done; `nil` for none.
    /// - Returns: The job with the number of the last look; `nil` if the thread ends.
    private func nextJob(after last: UInt64?) -> (job: Job, look: UInt64)? {
        state.withLock { state in
            if let last {
                state.running -= 1
                if last == state.looks { state.young -= 1 }
                if last + 1 < state.looks { state.stuck -= 1 }
            }
            guard state.room >= 0, let job = state.waiting.popFirst() else {
                state.threads -= 1
                return nil
            }
            (state.running, state.young) = (state.running + 1, state.young + 1)
            return (job, state.looks)
        }
    }

    /// Starts threads in place of those whose jobs have not ended between two looks, as long as others wait.
    private func watch() {
        Self.timer.asyncAfter(deadline: .now() + Self.patience) { [self] in
            let count = state.withLock { state -> Int? in
                state.isWatched = !state.waiting.isEmpty
                guard state.isWatched else { return nil }
                (state.stuck, state.young, state.looks) = (state.running - state.young, 0, state.looks + 1)
                let count = max(0, min(state.room, state.waiting.count))
                state.threads += count
                return count
            }
            guard let count else { return }
            for _ in 0..<count { startThread() }
            watch()
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
        if delay > .zero { return BlockingPool.wait(delay) { self.run(work) } }
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

extension Duration {
    /// The duration in nanoseconds, at most a year, which no wait needs to exceed.
    package var wholeNanoseconds: Int {
        let (seconds, attoseconds) = min(max(self, .zero), .seconds(365 * 86_400)).components
        return Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    }
}
