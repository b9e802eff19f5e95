import KeyspanCore
import KeyspanFileStore

/// A timer whose time passes when a test says so.
final class ManualWorkQueue: WorkQueue {
    private struct State {
        var pending: [@Sendable () -> Void] = []
        var delays: [Duration] = []
    }

    private let state = Locked(State())

    /// All delays that were asked for.
    var delays: [Duration] { state.withLock { $0.delays } }

    func run(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        state.withLock {
            $0.pending.append(work)
            $0.delays.append(delay)
        }
    }

    /// Runs what is pending now.
    func fire() {
        let works = state.withLock { state in
            defer { state.pending = [] }
            return state.pending
        }
        for work in works { work() }
    }
}
