/// The registered defaults of a program, in memory: the lowest layer of a ``LayeredStore``.
///
/// It is what `NSRegistrationDomain` is to `UserDefaults`: given anew at each start, never saved, and read where no other
/// layer has a value. Writes are refused; ``register(_:)`` is the only way in. Safe to use from any thread.
public final class RegistrationDomain: ReadOnlyStore {
    public let name: String

    private let contents = CommittedTable([:])

    package var remedyForWrite: String { "use register(_:), or write to another layer" }

    /// Makes a domain without defaults.
    ///
    /// - Parameter name: The name of the store in errors and diagnostics.
    public init(name: String = "registered defaults") {
        self.name = name
    }
}

// Users call these as members of the protocol.
@_spi(StoreAuthors) extension RegistrationDomain {
    public func revision(of stripe: KeyStripe) -> StoreRevision? { contents.revision(of: stripe) }

    public func storedValue(forKey key: String) -> StoredValue? { contents.storedValue(forKey: key) }

    public func snapshot() -> PropertyListTable { contents.snapshot() }

    public func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        contents.observe(keys, initial: initial, receive)
    }
}

extension RegistrationDomain: CountingStore {
    package var revisionCells: [RevisionCells]? { contents.revisionCells }
}

extension RegistrationDomain: RegisteringStore {
    public func register(_ values: PropertyListTable) throws(StoreError) {
        // A property registers its default each time it is made, which usually changes nothing.
        if values.allSatisfy({ contents.value(forKey: $0.key) == $0.value }) { return }
        try LibraryEntries.check(values.lazy.map(\.key), in: name)
        var batch = PropertyListBatch()
        for (key, value) in values {
            batch.set(value, forKey: key)
        }
        try contents.commit(batch, store: name)
        contents.deliver()
    }
}

/// A store that has a place for registered defaults: values that keys have while nothing is stored for them.
public protocol RegisteringStore: PropertyListStore {
    /// Registers defaults; one that was registered for the same key before is replaced, all others stay.
    ///
    /// Nothing is saved, and nothing counts as written. Observers are notified of the changes that readers see.
    ///
    /// - Parameter values: The defaults by key.
    /// - Throws: ``StoreError`` if the store cannot hold one of them or has no place for registered defaults
    ///   (``StoreError/Code/cannotRegister``). None of them is registered then.
    func register(_ values: PropertyListTable) throws(StoreError)
}

extension StoreError.Code {
    /// The store has no place for registered defaults.
    public static let cannotRegister = StoreError.Code("cannotRegister")
}

extension StoreError {
    static func cannotRegister(in store: String) -> StoreError {
        StoreError(
            .cannotRegister,
            store: store,
            reason: "the store has no place for registered defaults",
            remedy: "put a RegistrationDomain below it in a LayeredStore"
        )
    }
}
