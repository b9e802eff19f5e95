/// A store that has a place for registered defaults: values that keys have while nothing is stored for them.
public protocol RegisteringStore: PropertyListStore {
    /// Registers defaults; one that was registered for the same key before is replaced, all others stay.
    ///
    /// Nothing is saved, and nothing counts as written. Observers hear what changes for those who read.
    ///
    /// - Parameter values: The defaults by key.
    /// - Throws: ``StoreError`` if one of them cannot be held, and none is registered then, or if there is no place for
    ///   registered defaults (``StoreError/Code/cannotRegister``).
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
