import KeyspanCore

/// The registered defaults of the process as the lowest layer of one ``UserDefaultsStore``.
///
/// All layers have the same values. Each has its own observers and its own delivery, so that an observer of one store that
/// takes its time delays no other store.
final class SuiteRegistrations: RegisteringStore {
    let name = RegisteredDefaults.name

    /// The values of ``RegisteredDefaults``, which changes them.
    let contents: CommittedTable

    private let registered: RegisteredDefaults

    /// Makes a layer, for ``RegisteredDefaults/makeLayer()``.
    init(of registered: RegisteredDefaults, _ values: PropertyListTable) {
        self.registered = registered
        contents = CommittedTable(values)
    }

    func register(_ values: PropertyListTable) throws(StoreError) {
        try registered.register(values, from: self)
    }

    var revision: StoreRevision? { contents.revision }

    func storedValue(forKey key: String) -> StoredValue? { contents.storedValue(forKey: key) }

    func snapshot() -> PropertyListTable { contents.snapshot() }

    func apply(_ batch: PropertyListBatch) throws(StoreError) {
        throw .readOnly(batch, store: name, remedy: "use register(_:), or write to another layer")
    }

    func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        contents.observe(keys, initial: initial, receive)
    }

    func synchronize() {}
}
