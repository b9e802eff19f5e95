/// The registered defaults of a program, in memory: the lowest layer of a ``LayeredStore``.
///
/// It is what `NSRegistrationDomain` is to `UserDefaults`: given anew at each start, never saved, and read where no other
/// layer has a value. Writes are refused; ``register(_:)`` is the only way in. Safe to use from any thread.
public final class RegistrationDomain: RegisteringStore {
    public let name: String

    private let contents = CommittedTable([:])

    /// Makes a domain without defaults.
    ///
    /// - Parameter name: What it is called in errors and diagnostics.
    public init(name: String = "registered defaults") {
        self.name = name
    }

    public func register(_ values: PropertyListTable) throws(StoreError) {
        var batch = PropertyListBatch()
        for (key, value) in values {
            batch.set(value, forKey: key)
        }
        try contents.commit(batch, store: name)
        contents.deliver()
    }

    public var revision: StoreRevision? { contents.revision }

    public func storedValue(forKey key: String) -> StoredValue? { contents.storedValue(forKey: key) }

    public func snapshot() -> PropertyListTable { contents.snapshot() }

    public func apply(_ batch: PropertyListBatch) throws(StoreError) {
        throw .readOnly(batch, store: name, remedy: "use register(_:), or write to another layer")
    }

    public func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        contents.observe(keys, initial: initial, receive)
    }

    public func synchronize() {}
}
