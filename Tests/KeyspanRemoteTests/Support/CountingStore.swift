@_spi(StoreAuthors) import KeyspanCore

/// A store in memory that counts how often it is read as a whole and observed.
final class CountingStore: PropertyListStore {
    let name = "counting store"
    let snapshots = Counter()
    let observations = Counter()
    private let inner: InMemoryStore

    init(_ values: PropertyListTable) {
        inner = InMemoryStore(values)
    }

    func storedValue(forKey key: String) -> StoredValue? { inner.storedValue(forKey: key) }

    func snapshot() -> PropertyListTable {
        snapshots.add()
        return inner.snapshot()
    }

    func apply(_ batch: PropertyListBatch) throws(StoreError) { try inner.apply(batch) }

    func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        observations.add()
        return inner.observe(keys, initial: initial, receive)
    }

    func synchronize() throws(StoreError) {}
}
