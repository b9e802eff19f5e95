/// Several stores as one: a key has the value of the highest layer that has one, and writes go to one layer.
///
/// ```swift
/// let store = LayeredStore([
///     .init("arguments", LaunchArgumentsStore()),
///     .init("environment", EnvironmentStore(prefix: "GREETER_")),
///     .init("file", InMemoryStore(), isWritable: true),
///     .init("registered", RegistrationDomain()),
/// ])
/// ```
///
/// **Reads** ask the layers themselves, so a write to a layer by anyone is seen at once. A read costs one lookup in each
/// layer down to the one that has the key, and holds no lock of its own. A key's cache works as over any store, if all
/// layers number their states.
///
/// A dictionary that several layers have is the one of the highest layer, unless the store merges them: ``Dictionaries``.
///
/// **Writes** go to the layer that was named when the store was made, or to the first one that is writable;
/// ``writing(to:)`` names another. A write that a higher layer hides is made and kept, and changes
/// nothing that readers see; its observers hear nothing. To remove a key, or all, is to remove it from that layer, after
/// which the key has the value of a lower layer, if there is one. What a batch expects is about the values that readers
/// see: an increment that read a registered default writes the number after it. The values of the layer that is written
/// are compared in the instant of writing, those of the others just before.
///
/// **Observers** hear a change if the value that readers see has changed, or what of it is text. Each observer is registered at every layer and
/// keeps the values of the keys it observes; one that observes all keys costs a copy of all of them at its registration.
///
/// Safe to use from any thread.
public final class LayeredStore: LayeredPropertyListStore {
    public let name: String

    /// The layers, the highest first.
    public let layers: [Layer]

    /// The layer that writes go to; `nil` if there is none, and then writes are refused.
    public let writableLayer: WritableLayer?

    /// What readers see of a dictionary that several layers have.
    public let dictionaries: Dictionaries

    /// The store that holds the values which writes replace: that of the ``writableLayer``; `self` if there is none.
    public var writtenStore: any PropertyListStore { writableLayer?.target ?? self }

    private let writtenName: String?

    private let identifier = RevisionCounter.makeStoreIdentifier()
    private let reader: any LayerReader

    /// Makes a store of layers.
    ///
    /// - Parameters:
    ///   - layers: The layers, the highest first. Without a writable one the store can only be read.
    ///   - writtenName: The name of the layer to which writes go; of the first writable one if `nil`. If there is no such
    ///     layer, or it is not writable, every write is refused with an error that says so.
    ///   - dictionaries: What readers see of a dictionary that several layers have.
    ///   - name: What the store is called in errors and diagnostics.
    public init(
        _ layers: [Layer],
        writingTo writtenName: String? = nil,
        dictionaries: Dictionaries = .whole,
        name: String = "layered store"
    ) {
        self.name = name
        self.layers = layers
        self.dictionaries = dictionaries
        self.writtenName = writtenName
        reader = StackedLayer.reader(of: layers, dictionaries: dictionaries)
        let index = layers.firstIndex { layer in writtenName.map(layer.name.hasSameUTF8) ?? layer.isWritable }
        writableLayer = index.flatMap { index in
            layers[index].isWritable ? WritableLayer(at: index, of: layers, dictionaries: dictionaries) : nil
        }
    }

    /// The state that reads see now, or `nil` if one of the layers does not number its states.
    ///
    /// Costs an atomic load and two calls for each layer.
    public var revision: StoreRevision? {
        reader.generation.map { StoreRevision(store: identifier, generation: $0) }
    }

    public func storedValue(forKey key: String) -> StoredValue? {
        reader.storedValue(forKey: key)
    }

    /// All keys with the values that readers see; costs the number of keys of all layers but the largest.
    public func snapshot() -> PropertyListTable {
        reader.snapshot()
    }

    public func apply(_ batch: PropertyListBatch) throws(StoreError) {
        guard let writableLayer else { throw refusal(of: batch) }
        try writableLayer.apply(batch, named: name)
    }

    /// Why a batch is refused if there is no layer to write to.
    private func refusal(of batch: PropertyListBatch) -> StoreError {
        guard let writtenName else {
            return .readOnly(batch, store: name, remedy: "make one of its layers writable, or write to another store")
        }
        if layer(named: writtenName) == nil { return .unknownLayer(writtenName, of: self, key: batch.firstKey) }
        return .readOnlyLayer(writtenName, of: self, key: batch.firstKey)
    }

    public func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        LayeredObserver.register(keys, initial: initial, at: layers, dictionaries: dictionaries, receive)
    }

    /// Synchronises every layer, also after one has failed, and throws the first error.
    public func synchronize() throws(StoreError) {
        var first: StoreError?
        for layer in layers {
            do {
                try layer.store.synchronize()
            } catch {
                first = first ?? error
            }
        }
        if let first { throw first }
    }
}
