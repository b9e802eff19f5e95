internal import Dispatch
@_spi(StoreAuthors) public import KeyspanCore

/// A store over another one that fails, waits or is interrupted as a test says, to show what a program does then.
///
/// ```swift
/// let launchCount = Defaults.Key<Int>("launchCount", default: 0)
/// let store = ScriptedStore()
/// store.failWrites(with: StoreError(.tooLarge, store: store.name, reason: "the disk is full", remedy: "free some space"))
/// #expect(throws: Defaults.WriteError.self) { try Defaults(store).set(1, for: launchCount) }
/// ```
///
/// It reads, writes and observes the store below it, whose `commit(_:)` it does not call: a commit is a write
/// and a synchronization. If that store has layers, keys find the values that writes replace in the layer itself, and these reads
/// follow no script. It has none of the refinements of the store below it, such as `ProvenanceReporting`. Safe to use from any
/// thread. Actions of a test run on the thread that makes the call, without a lock.
public final class ScriptedStore: PropertyListStore {
    /// The calls that a script is about.
    public enum Call: Hashable, Sendable, CaseIterable {
        /// A value is read.
        case read
        /// All values are read.
        case snapshot
        /// A batch is applied.
        case write
        /// An observer is registered.
        case observe
        /// The values are made durable.
        case synchronize
    }

    /// How the store numbers its states.
    public enum Revisions: Sendable {
        /// As the store below does.
        case ofBase
        /// With one number for all keys.
        case shared
        /// Not at all, so that nothing above the store caches.
        case none
    }

    private struct Script {
        var refusal: (error: StoreError, isApplied: Bool)?
        var synchronizeError: StoreError?
        var onBatch: (@Sendable (PropertyListBatch) throws(StoreError) -> Void)?
        var before: [Call: @Sendable () -> Void] = [:]
        var after: [Call: @Sendable () -> Void] = [:]
        var counts: [Call: Int] = [:]
        var heldCalls: Set<Call> = []
        /// The threads that wait until the store answers again.
        var waiting: [(call: Call, thread: DispatchSemaphore)] = []
    }

    /// The store that holds the values.
    public let base: any PropertyListStore
    private let revisions: Revisions
    private let script = Locked(Script())

    /// Makes a store in memory that follows no script yet.
    ///
    /// - Parameters:
    ///   - values: The first values.
    ///   - name: The name of the store in errors and diagnostics.
    public convenience init(_ values: PropertyListTable = [:], name: String = "scripted store") {
        self.init(over: InMemoryStore(values, name: name))
    }

    /// Makes a store over another one that follows no script yet.
    ///
    /// - Parameters:
    ///   - base: The store that holds the values.
    ///   - revisions: How the store numbers its states.
    public init(over base: any PropertyListStore, revisions: Revisions = .ofBase) {
        self.base = base
        self.revisions = revisions
    }

    /// Lets every write from now on fail with this error; `nil` lets them succeed again.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - isApplied: Whether the batch is applied all the same, as by a server whose answer is lost. Otherwise the write changes
    ///     nothing. The error is not changed: unless its code is one of an unknown outcome, a commit reports that nothing happened.
    public func failWrites(with error: StoreError?, afterApplying isApplied: Bool = false) {
        set(\.refusal, to: error.map { ($0, isApplied) })
    }

    /// Lets every `synchronize()` from now on fail with this error; `nil` lets them succeed again.
    public func failSynchronize(with error: StoreError?) {
        set(\.synchronizeError, to: error)
    }

    /// Calls a closure with each batch before it is applied; an error that it throws is that of the write, which changes nothing.
    public func onBatch(_ decide: (@Sendable (PropertyListBatch) throws(StoreError) -> Void)?) {
        set(\.onBatch, to: decide)
    }

    /// Calls a closure before each call of a kind; `nil` ends that.
    public func before(_ call: Call, _ action: (@Sendable () -> Void)?) {
        set(\.before[call], to: action)
    }

    /// Calls a closure after each call of a kind that succeeds; `nil` ends that.
    public func after(_ call: Call, _ action: (@Sendable () -> Void)?) {
        set(\.after[call], to: action)
    }

    /// Calls a closure before the next call of a kind, and not before later ones, in the place of that of ``before(_:_:)``.
    public func beforeNext(_ call: Call, _ action: @escaping @Sendable () -> Void) {
        let isDue = Locked(true)
        before(call) {
            // Of several threads that come here at once, one calls it.
            let isFirst = isDue.withLock { isDue in
                defer { isDue = false }
                return isDue
            }
            if isFirst { action() }
        }
    }

    /// Lets every call of a kind wait from now on, as for a disk that does not answer, until ``release(_:)``.
    ///
    /// The call waits before anything else happens, and follows the script as it is when it goes on.
    public func hold(_ call: Call) {
        script.withLock { _ = $0.heldCalls.insert(call) }
    }

    /// Lets calls of a kind go on, including those that wait.
    public func release(_ call: Call) {
        let waiting = script.withLock { script in
            script.heldCalls.remove(call)
            defer { script.waiting.removeAll { $0.call == call } }
            return script.waiting.filter { $0.call == call }
        }
        for (_, thread) in waiting { thread.signal() }
    }

    /// The number of calls that wait.
    public var heldCount: Int { script.withLock(\.waiting.count) }

    /// The number of successful calls of a kind.
    public func count(of call: Call) -> Int { script.withLock { $0.counts[call, default: 0] } }

    public var name: String { base.name }

    public func revision(of stripe: KeyStripe) -> StoreRevision? {
        switch revisions {
        case .ofBase: base.revision(of: stripe)
        case .shared: base.revision
        case .none: nil
        }
    }

    public func storedValue(forKey key: String) -> StoredValue? {
        perform(.read) { base.storedValue(forKey: key) }
    }

    /// The written layer of a store with layers, or this store, so that writes follow the script.
    public var writtenStore: any PropertyListStore {
        let store = base.writtenStore
        return store === base ? self : store
    }

    public var valueForm: Defaults.ValueForm { base.valueForm }

    public func snapshot() -> PropertyListTable {
        perform(.snapshot) { base.snapshot() }
    }

    public func apply(_ batch: PropertyListBatch) throws(StoreError) {
        try perform(.write) { () throws(StoreError) in
            try script.withLock(\.onBatch)?(batch)
            let refusal = script.withLock(\.refusal)
            if refusal?.isApplied ?? true { try base.apply(batch) }
            if let refusal { throw refusal.error }
        }
    }

    public func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        perform(.observe) { base.observe(keys, initial: initial, receive) }
    }

    public func synchronize() throws(StoreError) {
        try perform(.synchronize) { () throws(StoreError) in
            if let error = script.withLock(\.synchronizeError) { throw error }
            try base.synchronize()
        }
    }

    private func perform<Result, Failure: Error>(
        _ call: Call,
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let held: DispatchSemaphore? = script.withLock { script in
            guard script.heldCalls.contains(call) else { return nil }
            let thread = DispatchSemaphore(value: 0)
            script.waiting.append((call, thread))
            return thread
        }
        held?.wait()
        script.withLock { $0.before[call] }?()
        let result = try body()
        script.withLock { script in
            script.counts[call, default: 0] += 1
            return script.after[call]
        }?()
        return result
    }

    private func set<Value: Sendable>(_ path: WritableKeyPath<Script, Value>, to value: Value) {
        let replaced = script.withLock { script in
            defer { script[keyPath: path] = value }
            return script[keyPath: path]
        }
        // Released here, not under the lock: releasing an error or a closure may run any code.
        withExtendedLifetime(replaced) {}
    }
}
