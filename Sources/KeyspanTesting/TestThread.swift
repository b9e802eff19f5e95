package import Dispatch
internal import KeyspanCore

/// A thread of its own for code that waits for other threads, which a thread of the cooperative pool must not do.
package final class TestThread: Sendable {
    /// Signaled when the body has returned.
    package let done = DispatchSemaphore(value: 0)

    /// Runs a body on the thread.
    package init(_ body: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "keyspan.test").async { [done] in
            body()
            done.signal()
        }
    }

    /// Runs a body on a thread of its own and suspends the task until it has returned.
    package static func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "keyspan.test").async {
                continuation.resume(with: Swift.Result { try body() })
            }
        }
    }
}

/// Runs tasks on threads that Dispatch adds as they are needed, so that tasks that block hold up no others.
package final class TestThreadExecutor: TaskExecutor {
    package static let shared = TestThreadExecutor()

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        DispatchQueue(label: "keyspan.test").async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Turns that tasks take without blocking a thread.
package final class Turns: Sendable {
    private struct State {
        var available: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Locked<State>

    package init(available: Int) {
        state = Locked(State(available: available))
    }

    package func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.available > 0 {
                    state.available -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    package func giveBack() {
        let next = state.withLock { state in
            guard state.waiting.isEmpty else {
                return state.waiting.removeFirst() as CheckedContinuation<Void, Never>?
            }
            state.available += 1
            return nil
        }
        next?.resume()
    }
}

extension DispatchSemaphore {
    /// Waits for a signal.
    ///
    /// - Returns: Whether the signal came in time.
    package func wait(within patience: Duration) -> Bool {
        let (seconds, attoseconds) = patience.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        return wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success
    }
}
