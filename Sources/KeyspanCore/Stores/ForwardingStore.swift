/// A store that leaves to another one whatever it does not do itself.
package protocol ForwardingStore: PropertyListStore {
    /// The other one.
    var base: InMemoryStore { get }
}

extension ForwardingStore {
    package var name: String { base.name }

    package var revision: StoreRevision? { base.revision }

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
