import Foundation
@_spi(StoreAuthors) import KeyspanCore

/// The registered defaults of the process, which all `UserDefaults` share.
///
/// Defaults that are registered here are also registered with `UserDefaults`, so that code without keys reads them. Each store
/// has a ``SuiteRegistrations`` as its lowest layer, with the same values and its own observers.
final class RegisteredDefaults: Sendable {
    /// The registered defaults of this process.
    static var ofProcess: RegisteredDefaults { opened.published }

    private static let opened = OpenedOnce { RegisteredDefaults() }

    /// The name of the store, also of each layer.
    static let name = "registered defaults"

    private let mirror = MirroredTable(of: RegistrationSource())
    /// The layers of all stores.
    ///
    /// The lock is held while values change here and in the layers, so that all layers have the changes in the same order.
    private let layers = Locked<[WeakLayer]>([])

    private struct WeakLayer {
        weak var layer: SuiteRegistrations?
    }

    private init() {
        mirror.refresh(.all)
    }

    /// Makes a layer for one store.
    func makeLayer() -> SuiteRegistrations {
        // The other layers are kept until the lock is released, because releasing their last reference calls out.
        let (layer, _) = layers.withLock { layers in
            let present = layers.compactMap(\.layer)
            let layer = SuiteRegistrations(of: self, mirror.contents.snapshot())
            layers = (present + [layer]).map { WeakLayer(layer: $0) }
            return (layer, present)
        }
        return layer
    }

    /// Registers defaults in all layers, and then with `UserDefaults`.
    ///
    /// - Parameter first: The layer whose observers are called first.
    func register(_ values: PropertyListTable, from first: SuiteRegistrations) throws(StoreError) {
        var batch = PropertyListBatch()
        for (key, value) in values {
            batch.set(value, forKey: key)
        }
        let others = try layers.withLock { (layers) throws(StoreError) in
            try mirror.commit(batch, store: Self.name)
            // Kept until the lock is released, as above.
            let present = layers.compactMap(\.layer)
            for layer in present { try layer.contents.commit(batch, store: Self.name) }
            return present
        }
        mirror.carryOut()
        #if !canImport(ObjectiveC)
        // Another thread may be writing to the source, and code without keys must find the defaults when this returns. On Apple's
        // systems that thread may be calling an observer of `UserDefaults` that waits for a key declared here.
        mirror.settle()
        #endif
        first.contents.deliver()
        for layer in others where layer !== first { layer.contents.deliver() }
    }

    /// Reads the defaults that other code has registered with `UserDefaults`.
    func refresh() {
        mirror.refresh(.all)
        let present = layers.withLock { layers in
            let present = layers.compactMap(\.layer)
            let table = mirror.contents.snapshot()
            for layer in present { layer.contents.merge { $0.becomes(table) } }
            return present
        }
        for layer in present { layer.contents.deliver() }
    }

    /// The registered default of a key.
    func value(forKey key: String) -> PropertyListValue? { mirror.contents.value(forKey: key) }
}

extension PropertyListTable {
    /// Becomes another table.
    ///
    /// - Returns: The changed entries.
    fileprivate mutating func becomes(_ other: PropertyListTable) -> [PropertyListChange.Entry] {
        var entries: [PropertyListChange.Entry] = []
        for (key, value) in self where other[key] == nil {
            entries.append(PropertyListChange.Entry(key: key, old: value, new: nil))
        }
        for (key, value) in other where self[key] != value {
            entries.append(PropertyListChange.Entry(key: key, old: self[key], new: value))
        }
        self = other
        return entries
    }
}

/// The registered defaults of the process as the lowest layer of one ``UserDefaultsStore``.
///
/// All layers have the same values. Each has its own observers and its own delivery, so that a slow observer of one store does
/// not delay another store.
final class SuiteRegistrations: RegisteringStore, CountingStore {
    let name = RegisteredDefaults.name

    /// The values of ``RegisteredDefaults``, which also writes them.
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

    var revisionCells: [RevisionCells]? { contents.revisionCells }

    func revision(of stripe: KeyStripe) -> StoreRevision? { contents.revision(of: stripe) }

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

/// The registration domain of `UserDefaults`.
struct RegistrationSource: MirroredSource {
    private let reports = ForeignValueReports(store: "registered defaults")

    func table() -> PropertyListTable {
        var table = PropertyListTable()
        for (key, object) in Self.registeredObjects() {
            table[key] = reports.value(of: object, forKey: key)
        }
        return table
    }

    func value(forKey key: String) -> PropertyListValue? {
        Self.registeredObjects()[key].flatMap { reports.value(of: $0, forKey: key) }
    }

    func isHidden(_ key: String) -> Bool { false }

    func perform(_ batch: PropertyListBatch) {
        var objects: [String: Any] = [:]
        for case .set(let value, let key) in batch.operations {
            objects[key] = FoundationValue.object(value)
        }
        UserDefaults.standard.register(defaults: objects)
    }
}
