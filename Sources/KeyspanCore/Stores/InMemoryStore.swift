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
    ///   - values: What it holds at first.
    ///   - name: What it is called in errors and diagnostics.
    public init(_ values: PropertyListTable = [:], name: String = "in-memory store") {
        contents = CommittedTable(values)
        self.name = name
    }

    public var revision: StoreRevision? { contents.revision }

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

    public func synchronize() {}
}
