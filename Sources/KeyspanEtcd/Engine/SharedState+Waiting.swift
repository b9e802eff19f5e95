#if Etcd
internal import Dispatch
@_spi(StoreAuthors) internal import KeyspanCore
internal import KeyspanFileStore

/// The waiting of threads and of tasks.
extension SharedState {
    /// Blocks the thread until a condition holds.
    ///
    /// - Returns: Whether it came to hold within the time.
    func block(upTo timeout: Duration, until isReady: @escaping @Sendable (ClusterState) -> Bool) -> Bool {
        let wake = DispatchSemaphore(value: 0)
        guard let number = notify(when: isReady, { wake.signal() }) else { return true }
        if wake.wait(timeout: .now() + .nanoseconds(timeout.wholeNanoseconds)) == .success { return true }
        return !endWaiting(number)
    }

    /// Waits in a task until a condition holds.
    ///
    /// - Parameters:
    ///   - timeout: The longest time; `nil` for any.
    ///   - executor: Where the time is measured.
    ///   - isReady: Asked under the lock.
    /// - Returns: Whether it came to hold before the time was over or the task was canceled.
    func wait(
        upTo timeout: Duration? = nil,
        on executor: CallExecutor,
        until isReady: @escaping @Sendable (ClusterState) -> Bool
    ) async -> Bool {
        let waiting = Waiting()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiting.begin(continuation)
                let number = notify(when: isReady) { waiting.end(true) }
                if let number, let timeout {
                    executor.run(after: timeout) { [weak self] in
                        if self?.endWaiting(number) == true { waiting.end(false) }
                    }
                }
                if let number { waiting.onCancel = { [weak self] in self?.endWaiting(number) } }
                if Task.isCancelled { waiting.cancel() }
            }
        } onCancel: {
            waiting.cancel()
        }
    }
}

/// A task that waits, and is resumed once.
private final class Waiting: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Bool, Never>?
        var onCancel: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    var onCancel: (@Sendable () -> Void)? {
        get { state.withLock { $0.onCancel } }
        set { state.withLock { $0.onCancel = newValue } }
    }

    func begin(_ continuation: CheckedContinuation<Bool, Never>) {
        state.withLock { $0.continuation = continuation }
    }

    func end(_ result: Bool) {
        state.withLock { state in
            defer { state.continuation = nil }
            return state.continuation
        }?.resume(returning: result)
    }

    func cancel() {
        onCancel?()
        end(false)
    }
}
#endif
