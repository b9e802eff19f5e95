import KeyspanCore

/// A store that keeps all promises and does not number its states.
final class UnnumberedStore: ForwardingStore {
    let base: InMemoryStore

    init(_ values: PropertyListTable = [:]) {
        base = InMemoryStore(values, name: "store without revisions")
    }

    var revision: StoreRevision? { nil }
}
