import Dispatch
import KeyspanCore

/// A state under a lock, and tasks that wait until it satisfies a condition.
final class WatchedState<State: Sendable>: Sendable {
    private struct Waiter {
        let isReady: @Sendable (State) -> Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct Content {
        var state: State
        var waiters: [UInt64: Waiter] = [:]
        var lastWaiter: UInt64 = 0
    }

    /// Where waiting ends by time, so that it needs no thread of the engine under test.
    private static var timers: DispatchQueue { DispatchQueue.global() }

    private let content: Locked<Content>

    init(_ state: State) {
        content = Locked(Content(state: state))
    }

    /// Reads the state.
    func read<Result: Sendable>(_ body: (State) -> Result) -> Result {
        content.withLock { body($0.state) }
    }

    /// Changes the state, and resumes the tasks whose condition it now meets.
    @discardableResult
    func change<Result: Sendable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var ready: [Waiter] = []
        defer { for waiter in ready { waiter.continuation.resume(returning: true) } }
        return try content.withLock { (content) throws(Failure) in
            defer {
                let state = content.state
                for (number, waiter) in content.waiters where waiter.isReady(state) {
                    ready.append(waiter)
                    content.waiters[number] = nil
                }
            }
            return try body(&content.state)
        }
    }

    /// Waits until a condition holds.
    ///
    /// - Returns: Whether it came to hold before the time was over or the task was canceled.
    func wait(upTo timeout: Duration? = nil, until isReady: @escaping @Sendable (State) -> Bool) async -> Bool {
        let number = content.withLock { content in
            content.lastWaiter += 1
            return content.lastWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
                let answer: Bool? = content.withLock { content in
                    if isReady(content.state) { return true }
                    if Task.isCancelled { return false }
                    content.waiters[number] = Waiter(isReady: isReady, continuation: continuation)
                    return nil
                }
                if let answer { return continuation.resume(returning: answer) }
                guard let timeout else { return }
                Self.timers.asyncAfter(deadline: .now() + timeout.dispatchInterval) { [weak self] in
                    self?.end(number)
                }
            }
        } onCancel: {
            end(number)
        }
    }

    private func end(_ number: UInt64) {
        content.withLock { $0.waiters.removeValue(forKey: number) }?.continuation.resume(returning: false)
    }
}

extension Duration {
    /// The duration as Dispatch counts it.
    var dispatchInterval: DispatchTimeInterval {
        .nanoseconds(Int(components.seconds) * 1_000_000_000 + Int(components.attoseconds / 1_000_000_000))
    }
}
