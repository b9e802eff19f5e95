import KeyspanCore

/// The registered defaults of the process, which all `UserDefaults` share.
///
/// What is registered here is registered with `UserDefaults`, so that code which knows nothing of keys reads it too. Each
/// store has a ``SuiteRegistrations`` as its lowest layer, which has the same values and observers of its own.
final class RegisteredDefaults: Sendable {
    /// The one of the process.
    static var ofProcess: RegisteredDefaults { opened.published }

    private static let opened = OpenedOnce { RegisteredDefaults() }

    /// What it is called, and the layers that show it.
    static let name = "registered defaults"

    private let mirror = MirroredTable(of: RegistrationSource())
    /// The layers that show what is registered.
    ///
    /// The lock is held while values change here and there, so that all layers have the changes in the same order.
    private let layers = Locked<[WeakLayer]>([])

    private struct WeakLayer {
        weak var layer: SuiteRegistrations?
    }

    private init() {
        mirror.refresh(.all)
    }

    /// Makes a layer for one store.
    func makeLayer() -> SuiteRegistrations {
        // The others are kept until the lock is let go, because releasing the last reference calls out.
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
            // Kept until the lock is let go, as above.
            let present = layers.compactMap(\.layer)
            for layer in present { try layer.contents.commit(batch, store: Self.name) }
            return present
        }
        mirror.carryOut()
        #if !canImport(ObjectiveC)
        // Another thread may be at it, and code that knows nothing of keys is to find what is registered when this returns.
        // On Apple's systems that thread may be calling an observer of `UserDefaults` that waits for a key declared here.
        mirror.settle()
        #endif
        first.contents.deliver()
        for layer in others where layer !== first { layer.contents.deliver() }
    }

    /// Takes over what other code registered with `UserDefaults`.
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

    /// The value that is registered for a key.
    func value(forKey key: String) -> PropertyListValue? { mirror.contents.value(forKey: key) }
}

extension PropertyListTable {
    /// Becomes another table, and answers what changed.
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
