@_spi(StoreAuthors) import KeyspanCore

/// A store in memory that notifies nobody.
final class SilentStore: PropertyListStore {
    let name = "silent store"
    /// Called once, when the store is observed first.
    let onObservation = Locked<(@Sendable () -> Void)?>(nil)
    private let inner: InMemoryStore

    init(_ values: PropertyListTable) {
        inner = InMemoryStore(values)
    }

    func storedValue(forKey key: String) -> StoredValue? { inner.storedValue(forKey: key) }

    func snapshot() -> PropertyListTable { inner.snapshot() }

    func apply(_ batch: PropertyListBatch) throws(StoreError) { try inner.apply(batch) }

    func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        onObservation.withLock { $0.take() }?()
        return InMemoryStore().observe(keys, initial: false, receive)
    }

    func synchronize() throws(StoreError) {}
}
