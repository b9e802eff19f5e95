import KeyspanCore
import KeyspanFileStore

/// A timer whose time passes when a test says so.
package final class ManualWorkQueue: WorkQueue {
    private struct State {
        var pending: [(delay: Duration, work: @Sendable () -> Void)] = []
        var delays: [Duration] = []
    }

    private let state = Locked(State())

    package init() {}

    /// All delays that were asked for.
    package var delays: [Duration] { state.withLock { $0.delays } }

    package func run(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        state.withLock {
            $0.pending.append((delay, work))
            $0.delays.append(delay)
        }
    }

    /// Runs what is pending now, or the part of it that waits no longer than a limit.
    package func fire(within limit: Duration? = nil) {
        let works = state.withLock { state in
            let isDue = { (delay: Duration) in limit.map { delay <= $0 } ?? true }
            defer { state.pending.removeAll { isDue($0.delay) } }
            return state.pending.filter { isDue($0.delay) }
        }
        for work in works { work.work() }
    }
}
