extension LayeredStore: RegisteringStore {
    /// Registers defaults in the lowest layer that takes them; see ``RegisteringStore/register(_:)``.
    public func register(_ values: PropertyListTable) throws(StoreError) {
        for layer in layers.reversed() {
            if let store = layer.store as? any RegisteringStore { return try store.register(values) }
        }
        throw .cannotRegister(in: name)
    }
}
