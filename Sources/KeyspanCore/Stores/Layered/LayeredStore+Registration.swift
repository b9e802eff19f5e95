extension LayeredStore: RegisteringStore {
    /// Makes a store of another one, to which writes go, with a place for registered defaults below it.
    ///
    /// It has the name of the other store. The program's standard store is made like this, unless the program chooses one.
    ///
    /// - Parameter store: The store that has the values.
    public convenience init(registeringBelow store: any PropertyListStore) {
        let registered = RegistrationDomain()
        // Layers that are called as their stores are say no more of where a value came from than is worth saying.
        self.init([.init(store.name, store, isWritable: true), .init(registered.name, registered)], name: store.name)
    }

    /// Registers defaults in the lowest layer that takes them; see ``RegisteringStore/register(_:)``.
    public func register(_ values: PropertyListTable) throws(StoreError) {
        for layer in layers.reversed() {
            if let store = layer.store as? any RegisteringStore { return try store.register(values) }
        }
        throw .cannotRegister(in: name)
    }
}
