import KeyspanCore

/// A store that keeps all promises and does not number its states.
final class UnnumberedStore: PropertyListStore {
    private let memory: InMemoryStore

    init(_ values: PropertyListTable = [:]) {
        memory = InMemoryStore(values, name: "store without revisions")
    }

    var name: String { memory.name }

    func value(forKey key: String) -> PropertyListValue? { memory.value(forKey: key) }

    func snapshot() -> PropertyListTable { memory.snapshot() }

    func apply(_ batch: PropertyListBatch) throws(StoreError) { try memory.apply(batch) }

    func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        memory.observe(keys, initial: initial, receive)
    }

    func synchronize() {}
}
