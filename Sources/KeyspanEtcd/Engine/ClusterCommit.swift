#if Etcd
internal import Dispatch
@_spi(StoreAuthors) internal import KeyspanCore
internal import KeyspanFileStore

/// A batch whose writer waits until the cluster has committed or refused it.
final class ClusterCommit: Sendable {
    /// A value that a key must have.
    struct Expectation: Sendable {
        let name: String
        let value: PropertyListValue?
    }

    let expectations: [Expectation]
    /// Whether the change is quiet, whichever thread takes it over.
    let isQuiet: Bool
    let scope = OperationScope.current
    let thread = ThreadIdentity.current

    private let result = Locked<Result<Void, StoreError>?>(nil)
    private let wake = DispatchSemaphore(value: 0)

    /// Makes a commit on the thread that waits for it.
    init(expecting expectations: [Expectation], isQuiet: Bool) {
        (self.expectations, self.isQuiet) = (expectations, isQuiet)
    }

    /// Ends the waiting; the first outcome counts.
    func resolve(_ outcome: Result<Void, StoreError>) {
        let isFirst = result.withLock { result in
            guard result == nil else { return false }
            result = outcome
            return true
        }
        if isFirst { wake.signal() }
    }

    /// Waits for the outcome; called once.
    ///
    /// - Returns: `nil` if there is none within the time.
    func wait(upTo timeout: Duration) -> Result<Void, StoreError>? {
        guard wake.wait(timeout: .now() + .nanoseconds(timeout.wholeNanoseconds)) == .success else { return nil }
        return outcome
    }

    /// Waits for an outcome that is known and about to be told, after ``wait(upTo:)`` has ended without one.
    func wait() -> Result<Void, StoreError> {
        while true {
            if let outcome { return outcome }
            wake.wait()
        }
    }

    private var outcome: Result<Void, StoreError>? { result.withLock { $0 } }
}
#endif
