import KeyspanCore

/// The registered defaults of the process, which all `UserDefaults` share, as the lowest layer of each ``UserDefaultsStore``.
///
/// What is registered here is registered with `UserDefaults`, so that code which knows nothing of keys reads it too.
final class RegisteredDefaults: RegisteringStore {
    /// The one of the process.
    static let ofProcess = RegisteredDefaults()

    let name = "registered defaults"

    private let mirror = MirroredTable(of: RegistrationSource())

    private init() {
        mirror.refresh(.all)
    }

    func register(_ values: PropertyListTable) throws(StoreError) {
        var batch = PropertyListBatch()
        for (key, value) in values {
            batch.set(value, forKey: key)
        }
        try mirror.apply(batch, store: name)
    }

    /// Takes over what other code registered with `UserDefaults`.
    func refresh() {
        mirror.refresh(.all)
    }

    var revision: StoreRevision? { mirror.contents.revision }

    func value(forKey key: String) -> PropertyListValue? { mirror.contents.value(forKey: key) }

    func snapshot() -> PropertyListTable { mirror.contents.snapshot() }

    func apply(_ batch: PropertyListBatch) throws(StoreError) {
        throw .readOnly(batch, store: name, remedy: "use register(_:), or write to another layer")
    }

    func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        mirror.contents.observe(keys, initial: initial, receive)
    }

    func synchronize() {}
}
