#if Etcd
@_spi(StoreAuthors) internal import KeyspanCore

/// A flag that is set once, and for which tasks wait.
final class Flag: Sendable {
    private struct State {
        var isSet = false
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var last: UInt64 = 0
    }

    private let state = Locked(State())

    /// Sets it, and ends all waiting.
    func set() {
        let waiting = state.withLock { state in
            state.isSet = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        for (_, continuation) in waiting { continuation.resume() }
    }

    /// Waits until it is set, or the task is canceled.
    func wait() async {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.isSet || Task.isCancelled { return true }
                    state.waiting[number] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
    }

    /// Waits until it is set, or the time is over or the task canceled.
    ///
    /// - Returns: Whether it is set.
    func wait(upTo timeout: Duration, on executor: CallExecutor) async -> Bool {
        await withTaskGroup { group in
            group.addTask { await self.wait() }
            group.addTask { await executor.pause(for: timeout) }
            await group.next()
            group.cancelAll()
        }
        return state.withLock(\.isSet)
    }
}
#endif
