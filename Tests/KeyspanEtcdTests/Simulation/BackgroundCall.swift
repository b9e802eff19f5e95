import Dispatch
import KeyspanCore
import Testing

/// A call on a thread of its own, which a test can let wait.
final class BackgroundCall<Value: Sendable>: Sendable {
    private let outcome = Locked<Result<Value, any Error>?>(nil)
    private let done = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () throws -> Value) {
        DispatchQueue(label: "keyspan.test").async { [self] in
            let result = Result { try body() }
            outcome.withLock { $0 = result }
            done.signal()
        }
    }

    /// Whether the call has returned.
    var isDone: Bool { outcome.withLock { $0 != nil } }

    /// Waits for the result, at most some seconds.
    func result() throws -> Value {
        guard done.wait(timeout: .now() + .seconds(20)) == .success else { throw Hang() }
        done.signal()
        guard let outcome = outcome.withLock({ $0 }) else { throw Hang() }
        return try outcome.get()
    }

    /// The call has not returned.
    struct Hang: Error {}
}

/// Lets the thread rest.
func rest(seconds: Double) {
    _ = DispatchSemaphore(value: 0).wait(timeout: .now() + seconds)
}

/// Expects that a call throws a store's error with a code.
func expectError(
    _ code: StoreError.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) {
    do {
        try body()
        Issue.record("nothing was thrown instead of \(code)", sourceLocation: sourceLocation)
    } catch let error as StoreError {
        #expect(error.code == code, sourceLocation: sourceLocation)
    } catch {
        Issue.record(error, sourceLocation: sourceLocation)
    }
}
