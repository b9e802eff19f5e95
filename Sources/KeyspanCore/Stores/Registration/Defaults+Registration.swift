extension Defaults {
    /// Registers the defaults of keys, so that those who read the store without the keys see them too.
    ///
    /// ```swift
    /// let launchCount = Defaults.Key<Int>("launchCount", default: 0)
    /// let store = LayeredStore([
    ///     .init("values", InMemoryStore(), isWritable: true),
    ///     .init("registered", RegistrationDomain()),
    /// ])
    /// try Defaults(store).register(launchCount)
    /// ```
    ///
    /// A default that is made anew for each read is registered as it is now. `nil` is not registered. A later registration
    /// of the same key replaces this one.
    ///
    /// - Throws: ``WriteError`` if a default has no stored form or the store has no place for registered defaults.
    public func register<each Value>(_ keys: repeat Key<each Value>) throws(WriteError) {
        var values = PropertyListTable()
        for key in repeat each keys {
            do throws(WriteError.Cause) {
                try Self.addDefault(of: key, to: &values)
            } catch {
                throw WriteError(key: key.name, store: store.name, cause: error)
            }
        }
        do {
            try register(values)
        } catch {
            throw WriteError(key: error.key ?? values.sortedKeys.first ?? "", store: store.name, cause: .store(error))
        }
    }

    /// Registers values as defaults: what readers see while nothing is stored for their keys.
    ///
    /// As with `UserDefaults.register(defaults:)`, nothing is saved, all is gone when the program ends, and a later
    /// registration of the same key replaces an earlier one.
    ///
    /// - Parameter values: The defaults by key.
    /// - Throws: ``StoreError`` if the store has no place for registered defaults, which a ``LayeredStore`` has that
    ///   contains a ``RegistrationDomain``.
    public func register(_ values: PropertyListTable) throws(StoreError) {
        guard let store = store as? any RegisteringStore else { throw .cannotRegister(in: store.name) }
        try store.register(values)
    }

    private static func addDefault<Value>(
        of key: Key<Value>,
        to values: inout PropertyListTable
    ) throws(WriteError.Cause) {
        var edit = PropertyListEdit(values)
        do {
            try key.coding.encode(key.defaultValue, under: key.name, into: &edit)
        } catch {
            throw .encoding(error)
        }
        do {
            _ = try values.apply(edit.batch, store: "registered defaults")
        } catch {
            throw .store(error)
        }
    }
}
