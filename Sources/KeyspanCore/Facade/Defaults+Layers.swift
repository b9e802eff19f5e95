extension Defaults {
    /// Registers the defaults of keys, so that those who read the store without the keys see them too.
    ///
    /// ```swift
    /// let launchCount = Defaults.Key<Int>("launchCount", default: 0)
    /// let defaults = Defaults(LayeredStore(registeringBelow: InMemoryStore()))
    /// try defaults.register(launchCount)
    /// ```
    ///
    /// A default that is made anew for each read is registered as it is now. `nil` is not registered. A later registration
    /// of the same key replaces this one.
    ///
    /// - Throws: ``WriteError`` if a default has no stored form or the store has no place for registered defaults. None is
    ///   registered then.
    public func register(_ keys: AnyKey...) throws(WriteError) {
        try register(keys)
    }

    /// Registers the defaults of keys, so that those who read the store without the keys see them too.
    ///
    /// - Throws: ``WriteError`` if a default has no stored form or the store has no place for registered defaults. None is
    ///   registered then.
    public func register(_ keys: [AnyKey]) throws(WriteError) {
        var values = PropertyListTable()
        for key in keys {
            do throws(WriteError.Cause) {
                try key.addDefault(to: &values)
            } catch {
                throw WriteError(key: key.name, store: store.name, cause: error)
            }
        }
        do {
            try register(values)
        } catch {
            throw WriteError(key: error.key ?? keys.first?.name ?? "", store: store.name, cause: .store(error))
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
}

extension Defaults {
    /// Where the value of a key came from: the layer, the store, and the variable, the argument or the line of the file.
    ///
    /// Reads the files of file stores, to find the line. The value may change before or after.
    ///
    /// - Returns: `nil` if the store has no value, so that the key's default is read.
    public func provenance(of key: AnyKey) -> Provenance? {
        key.provenance(in: store, findingLines: true)
    }
}

extension Defaults {
    /// The same values with another layer to which writes go.
    ///
    /// ```swift
    /// let host = Defaults.Key<String>("host", default: "localhost")
    /// let layered = Defaults(
    ///     LayeredStore([
    ///         .init("session", InMemoryStore(), isWritable: true),
    ///         .init("file", InMemoryStore(), isWritable: true),
    ///     ])
    /// )
    /// try layered.writing(to: "file").commit { batch in
    ///     try batch.set("a.example", for: host)
    /// }
    /// ```
    ///
    /// - Parameter layer: The name of a layer of the store, which is a ``LayeredStore``.
    /// - Throws: ``StoreError``: ``StoreError/Code/unknownLayer`` if the store has no layer of that name, and
    ///   ``StoreError/Code/readOnly`` if it may not be written.
    public func writing(to layer: String) throws(StoreError) -> Defaults {
        guard let store = store as? LayeredStore else { throw .unknownLayer(layer, of: store) }
        return Defaults(try store.writing(to: layer))
    }
}
