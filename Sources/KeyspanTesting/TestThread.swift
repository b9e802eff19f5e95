internal import Dispatch

/// A thread of its own for code that waits for other threads, which a thread of the cooperative pool must not.
package final class TestThread: Sendable {
    private let done = DispatchSemaphore(value: 0)

    /// Runs a body on the thread.
    package init(_ body: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "keyspan.test").async { [done] in
            body()
            done.signal()
        }
    }

    /// Waits until the body has returned.
    package func join() {
        done.wait()
    }

    /// Waits until the body has returned.
    ///
    /// - Returns: Whether it has.
    func join(within patience: Duration) -> Bool {
        done.wait(within: patience)
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

extension DispatchSemaphore {
    /// Waits for a signal.
    ///
    /// - Returns: Whether it came.
    func wait(within patience: Duration) -> Bool {
        let (seconds, attoseconds) = patience.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        return wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success
    }
}
