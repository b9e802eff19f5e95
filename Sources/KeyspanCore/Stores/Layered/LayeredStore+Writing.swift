extension LayeredStore {
    /// The highest layer of a name.
    public func layer(named name: String) -> Layer? {
        layers.first { $0.name.hasSameUTF8(as: name) }
    }

    /// The same layers with another one to which writes go.
    ///
    /// Reads see what they see here. Keys remember what they read for each store apart, so keep this one for several reads and
    /// writes. To read what one layer has by itself, ask the ``Layer/store`` of ``layer(named:)``.
    ///
    /// - Parameter layer: The name of the layer.
    /// - Throws: ``StoreError``: ``StoreError/Code/unknownLayer`` if there is none of that name, and
    ///   ``StoreError/Code/readOnly`` if it may not be written.
    public func writing(to layer: String) throws(StoreError) -> LayeredStore {
        guard let found = self.layer(named: layer) else { throw .unknownLayer(layer, of: self) }
        guard found.isWritable else { throw .readOnlyLayer(layer, of: self) }
        return LayeredStore(layers, writingTo: layer, dictionaries: dictionaries, name: name)
    }
}

extension Defaults {
    /// The same values with another layer to which writes go.
    ///
    /// ```swift
    /// let host = Defaults.Key<String>("host", default: "localhost")
    /// let defaults = Defaults(
    ///     LayeredStore([
    ///         .init("session", InMemoryStore(), isWritable: true),
    ///         .init("file", InMemoryStore(), isWritable: true),
    ///     ])
    /// )
    /// try defaults.writing(to: "file").commit { batch in
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

extension StoreError.Code {
    /// The store has no layer of the name that was given.
    public static let unknownLayer = StoreError.Code("unknownLayer")
}

extension StoreError {
    static func unknownLayer(_ layer: String, of store: any PropertyListStore, key: String? = nil) -> StoreError {
        let names = (store as? LayeredStore)?.layers.filter(\.isWritable).map(\.name.debugDescription) ?? []
        return StoreError(
            .unknownLayer,
            store: store.name,
            key: key,
            reason: "there is no layer \(layer.debugDescription)",
            remedy: names.isEmpty ? "write to a LayeredStore with a writable layer" : names.asChoice
        )
    }

    static func readOnlyLayer(_ layer: String, of store: LayeredStore, key: String? = nil) -> StoreError {
        let names = store.layers.filter(\.isWritable).map(\.name.debugDescription)
        let remedy = "make the layer writable" + (names.isEmpty ? "" : ", or " + names.asChoice)
        return StoreError(
            .readOnly,
            store: store.name,
            key: key,
            reason: "the layer \(layer.debugDescription) can only be read",
            remedy: remedy
        )
    }
}

extension [String] {
    fileprivate var asChoice: String { "name one that may be written: " + joined(separator: ", ") }
}
