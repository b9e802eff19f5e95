/// The layer below which there is none.
final class LowestLayer: LayerReader {
    private let store: any PropertyListStore

    init(_ store: any PropertyListStore) {
        self.store = store
    }

    var generation: UInt64? { store.revision?.generation }

    func storedValue(forKey key: String) -> StoredValue? { store.storedValue(forKey: key) }

    func snapshot() -> PropertyListTable { store.snapshot() }
}
