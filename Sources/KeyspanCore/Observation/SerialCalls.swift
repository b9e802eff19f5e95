/// Calls a closure as often as it was asked to, from one thread at a time.
///
/// Several stores tell of their changes independently of one another. A thread that finds another one calling, or itself,
/// leaves the call to it and does not wait.
final class SerialCalls: Sendable {
    private struct State {
        var pending = 0
        var isCalling = false
    }

    private let state = Locked(State())
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) {
        self.action = action
    }

    func request(_ count: Int) {
        let isCalling = state.withLock { state in
            defer { state.isCalling = true }
            state.pending += count
            return state.isCalling
        }
        guard !isCalling else { return }
        while takeNext() {
            action()
        }
    }

    private func takeNext() -> Bool {
        state.withLock { state in
            state.isCalling = state.pending > 0
            state.pending -= state.isCalling ? 1 : 0
            return state.isCalling
        }
    }
}
