internal import Dispatch
@_spi(StoreAuthors) public import KeyspanCore

/// A store in memory that fails or hangs on request, for tests of how a program handles failures.
///
/// ```swift
/// let launchCount = Defaults.Key<Int>("launchCount", default: 0)
/// let store = ScriptedStore()
/// store.failWrites(with: StoreError(.tooLarge, store: store.name, reason: "the disk is full", remedy: "free some space"))
/// #expect(throws: Defaults.WriteError.self) { try Defaults(store).set(1, for: launchCount) }
/// ```
///
/// In all else it behaves as an `InMemoryStore`. Safe to use from any thread.
public final class ScriptedStore: PropertyListStore {
    private struct Script {
        var writeError: StoreError?
        var synchronizeError: StoreError?
        var synchronizations = 0
        var isHeld = false
        /// The threads that wait until the store answers again.
        var held: [DispatchSemaphore] = []
    }

    private let memory: InMemoryStore
    private let script = Locked(Script())

    /// Makes a store that does not fail yet.
    ///
    /// - Parameters:
    ///   - values: The first values.
    ///   - name: The name of the store in errors and diagnostics.
    public init(_ values: PropertyListTable = [:], name: String = "scripted store") {
        memory = InMemoryStore(values, name: name)
    }

    /// Lets every write from now on fail with this error and change nothing; `nil` lets them succeed again.
    public func failWrites(with error: StoreError?) {
        let replaced = script.withLock { script in
            defer { script.writeError = error }
            return script.writeError
        }
        // Released here, not under the lock: releasing an error may run any code.
        withExtendedLifetime(replaced) {}
    }

    /// Lets every `synchronize()` from now on fail with this error; `nil` lets them succeed again.
    public func failSynchronize(with error: StoreError?) {
        let replaced = script.withLock { script in
            defer { script.synchronizeError = error }
            return script.synchronizeError
        }
        withExtendedLifetime(replaced) {}
    }

    /// Lets every `synchronize()` from now on wait, as on a disk that does not answer, until ``releaseSynchronize()``.
    public func holdSynchronize() {
        script.withLock { $0.isHeld = true }
    }

    /// Lets calls of `synchronize()` end again, those that wait among them.
    public func releaseSynchronize() {
        let held = script.withLock { script in
            defer { (script.isHeld, script.held) = (false, []) }
            return script.held
        }
        for thread in held { thread.signal() }
    }

    /// The number of calls of `synchronize()` that wait.
    public var heldCount: Int { script.withLock(\.held.count) }

    /// The number of successful calls of `synchronize()`.
    public var synchronizeCount: Int { script.withLock(\.synchronizations) }

    public var name: String { memory.name }

    public func revision(of stripe: KeyStripe) -> StoreRevision? { memory.revision(of: stripe) }

    public func storedValue(forKey key: String) -> StoredValue? { memory.storedValue(forKey: key) }

    public func snapshot() -> PropertyListTable { memory.snapshot() }

    public func apply(_ batch: PropertyListBatch) throws(StoreError) {
        if let error = script.withLock(\.writeError) { throw error }
        try memory.apply(batch)
    }

    public func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        memory.observe(keys, initial: initial, receive)
    }

    public func synchronize() throws(StoreError) {
        let hold: DispatchSemaphore? = script.withLock { script in
            guard script.isHeld else { return nil }
            let hold = DispatchSemaphore(value: 0)
            script.held.append(hold)
            return hold
        }
        hold?.wait()
        try script.withLock { (script) throws(StoreError) in
            if let error = script.synchronizeError { throw error }
            script.synchronizations += 1
        }
    }
}
