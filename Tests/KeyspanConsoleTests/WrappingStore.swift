@_spi(StoreAuthors) import KeyspanCore

/// A store that wraps layers, as that of `UserDefaults` does.
final class WrappingStore: LayeredPropertyListStore {
    private let layers: LayeredStore

    init(_ layers: LayeredStore) { self.layers = layers }

    var name: String { layers.name }
    var writableLayer: WritableLayer? { layers.writableLayer }
    var writtenStore: any PropertyListStore { layers.writtenStore }
    func storedValue(forKey key: String) -> StoredValue? { layers.storedValue(forKey: key) }
    func snapshot() -> PropertyListTable { layers.snapshot() }
    func apply(_ batch: PropertyListBatch) throws(StoreError) { try layers.apply(batch) }
    func synchronize() throws(StoreError) { try layers.synchronize() }

    func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        layers.observe(keys, initial: initial, receive)
    }
}
