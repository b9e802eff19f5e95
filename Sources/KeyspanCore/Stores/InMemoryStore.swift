/// A store that lives in memory, for tests, previews and values that need no disk.
///
/// It holds property-list values and nothing else, so a key whose bridge fails on disk fails here as well. It never
/// touches the disk; ``synchronize()`` has nothing to do. Safe to use from any thread; a write takes one lock.
public final class InMemoryStore: PropertyListStore {
    public let name: String

    private let contents: CommittedTable

    /// Makes a store.
    ///
    /// - Parameters:
    ///   - values: The initial values.
    ///   - name: The name of the store in errors and diagnostics.
    public init(_ values: PropertyListTable = [:], name: String = "in-memory store") {
        contents = CommittedTable(values)
        self.name = name
    }

    public func synchronize() {}
}

// Users call these as members of the protocol.
@_spi(StoreAuthors) extension InMemoryStore {
    public func revision(of stripe: KeyStripe) -> StoreRevision? { contents.revision(of: stripe) }

    public func storedValue(forKey key: String) -> StoredValue? {
        contents.storedValue(forKey: key)
    }

    public func snapshot() -> PropertyListTable {
        contents.snapshot()
    }

    public func apply(_ batch: PropertyListBatch) throws(StoreError) {
        try contents.commit(batch, store: name)
        contents.deliver()
    }

    public func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        contents.observe(keys, initial: initial, receive)
    }
}

extension InMemoryStore: CountingStore {
    package var revisionCells: [RevisionCells]? { contents.revisionCells }
}

/// A store that forwards every member that it does not implement to another one.
package protocol ForwardingStore: PropertyListStore {
    /// The store that calls are forwarded to.
    var base: InMemoryStore { get }
}

extension ForwardingStore {
    package var name: String { base.name }

    package func revision(of stripe: KeyStripe) -> StoreRevision? { base.revision(of: stripe) }

    package func storedValue(forKey key: String) -> StoredValue? { base.storedValue(forKey: key) }

    package func snapshot() -> PropertyListTable { base.snapshot() }

    package func apply(_ batch: PropertyListBatch) throws(StoreError) { try base.apply(batch) }

    package func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        base.observe(keys, initial: initial, receive)
    }

    package func synchronize() throws(StoreError) { base.synchronize() }
}

/// A stand-in for a store that could not be opened where no error can be thrown: the program goes on with its values in memory.
///
/// The failure is reported when the store is made, and thrown by each `synchronize()`. The files on the disk stay as they are.
package final class UnsavedStore: ForwardingStore, CountingStore {
    package let base: InMemoryStore
    package var revisionCells: [RevisionCells]? { base.revisionCells }
    private let cause: any Error

    /// Makes an empty store and reports why.
    ///
    /// - Parameters:
    ///   - name: The name of the store that could not be opened.
    ///   - cause: Why it could not be opened.
    package init(name: String, cause: any Error) {
        base = InMemoryStore(name: name)
        self.cause = cause
        Defaults.Problem.storeUnavailable(name: name, cause: cause).report()
    }

    package func synchronize() throws(StoreError) {
        throw StoreError(
            .notDurable,
            store: name,
            reason: "the store could not be opened, so its values are in memory only (\(cause))",
            remedy: "remove the cause and start the program again",
            underlying: cause
        )
    }
}
