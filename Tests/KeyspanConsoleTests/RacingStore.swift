@_spi(StoreAuthors) import KeyspanCore

/// A store before whose batches somebody else writes, and which fails.
final class RacingStore: PropertyListStore {
    let base: InMemoryStore
    let before = Locked<(@Sendable (InMemoryStore) -> Void)?>(nil)
    let failure = Locked<StoreError?>(nil)
    let isAppliedBeforeFailure = Locked(false)

    init(_ base: InMemoryStore) { self.base = base }

    var name: String { base.name }
    func storedValue(forKey key: String) -> StoredValue? { base.storedValue(forKey: key) }
    func snapshot() -> PropertyListTable { base.snapshot() }
    func synchronize() throws(StoreError) {}

    func apply(_ batch: PropertyListBatch) throws(StoreError) {
        before.withLock { $0.take() }?(base)
        let failure = failure.withLock { $0 }
        if failure == nil || isAppliedBeforeFailure.withLock({ $0 }) { try base.apply(batch) }
        if let failure { throw failure }
    }

    func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        base.observe(keys, initial: initial, receive)
    }
}
