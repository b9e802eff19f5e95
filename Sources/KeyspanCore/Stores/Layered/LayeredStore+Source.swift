extension LayeredStore: SourceNamingStore {
    /// The name of the store, among those of the layers, that has the value that readers see.
    package func source(of key: String) -> String? {
        layers.first { $0.store.value(forKey: key) != nil }?.store.sourceName(of: key)
    }
}
