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
/// ``Defaults/writing(to:)`` names another. A write that a higher layer hides is stored, changes nothing that readers see, and notifies
/// no observer. Removing a key removes it from that layer; the key then has the value of a lower layer, if there is one. The
/// expectations of a batch are about the values that readers see: an increment of a registered default writes the number after
/// it. The values of the written layer are compared at the instant of writing, those of the others just before.
///
/// **Observers** are notified if the value that readers see has changed, or whether it is text. Each observer is registered at
/// every layer and keeps the values of the keys it observes; one that observes all keys costs a copy of all of them at its
/// registration.
///
/// Safe to use from any thread.
public final class LayeredStore: PropertyListStore {
    public let name: String

    /// The layers, the highest first.
    public let layers: [Layer]

    /// The layer that writes go to; `nil` if there is none, and then writes are refused.
    @_spi(StoreAuthors) public let writableLayer: WritableLayer?

    /// The rule for a dictionary that several layers have.
    let dictionaries: Dictionaries

    private let writtenName: String?

    private let identifier = RevisionCounter.makeStoreIdentifier()
    private let reader: any LayerReader
    private let revisions: RevisionSum

    /// Makes a store of layers.
    ///
    /// - Parameters:
    ///   - layers: The layers, the highest first. Without a writable one the store can only be read.
    ///   - writtenName: The name of the layer that writes go to; the first writable one if `nil`. If that layer does not exist
    ///     or is not writable, every write is refused with an error that says so.
    ///   - dictionaries: The rule for a dictionary that several layers have.
    ///   - name: The name of the store in errors and diagnostics.
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
        revisions = RevisionSum(of: layers.map(\.store))
        let index = layers.firstIndex { layer in writtenName.map(layer.name.hasSameUTF8) ?? layer.isWritable }
        writableLayer = index.flatMap { index in
            layers[index].isWritable ? WritableLayer(at: index, of: layers, dictionaries: dictionaries) : nil
        }
    }
}

// Users call these as members of the protocol.
@_spi(StoreAuthors) extension LayeredStore {
    /// The store that holds the values which writes replace: that of the ``writableLayer``; `self` if there is none.
    public var writtenStore: any PropertyListStore { writableLayer?.target ?? self }

    /// The state of a stripe's keys that reads see now, or `nil` if one of the layers does not number its states.
    ///
    /// Costs an atomic load for each layer that comes with the library, and one call for each other one.
    public func revision(of stripe: KeyStripe) -> StoreRevision? {
        revisions.generation(of: stripe).map { StoreRevision(store: identifier, generation: $0) }
    }

    public func storedValue(forKey key: String) -> StoredValue? {
        reader.storedValue(forKey: key)
    }

    /// All keys with the values that readers see, at one instant if the layers number their states.
    ///
    /// Costs the number of keys of all layers but the largest.
    public func snapshot() -> PropertyListTable {
        while true {
            let state = revision
            let tables = reader.tables()
            // Merged afterwards, so that a writer that never rests does not keep a reader waiting.
            if revision == state { return reader.merge(tables[...]) }
        }
    }

    public func apply(_ batch: PropertyListBatch) throws(StoreError) {
        guard let writableLayer else { throw refusal(of: batch) }
        try writableLayer.apply(batch, named: name)
    }

    /// Commits the batch in the layer that writes go to, and then synchronizes all other layers, even after one has failed.
    public func commit(_ batch: PropertyListBatch) async throws(StoreError) {
        var failure: StoreError?
        if let writableLayer {
            do {
                try await writableLayer.commit(batch, named: name)
            } catch {
                guard error.code == .notDurable else { throw error }
                failure = error
            }
        } else if batch.hasEffect {
            throw refusal(of: batch)
        }
        for layer in layers where writableLayer?.isLayer(of: layer.store) != true {
            do {
                try await layer.store.synchronize()
            } catch {
                failure = failure ?? (batch.isEmpty ? error : error.afterApplying)
            }
        }
        if let failure { throw failure }
    }

    /// The error for a batch in a store without a layer to write to.
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

    /// Synchronizes every layer, even after one has failed, and throws the first error.
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

extension LayeredStore {
    /// One of the stores of a layered store, by name.
    public struct Layer: Sendable {
        /// The name of the layer, such as `arguments`.
        ///
        /// No two layers of a store should have the same name: one that is named is the highest of that name.
        public let name: String

        /// The store that has the layer's values.
        public let store: any PropertyListStore

        /// Whether a layered store may write here, if this is the layer to which its writes go.
        public let isWritable: Bool

        /// Makes a layer.
        ///
        /// - Parameters:
        ///   - name: The name of the layer.
        ///   - store: The store that has the layer's values; others may use and write it as well.
        ///   - isWritable: Whether a layered store may write here.
        public init(_ name: String, _ store: any PropertyListStore, isWritable: Bool = false) {
            self.name = name
            self.store = store
            self.isWritable = isWritable
        }
    }
}

@_spi(StoreAuthors) extension LayeredStore: LayeredPropertyListStore {}

extension LayeredStore: CountingStore {
    package var revisionCells: [RevisionCells]? { revisions.revisionCells }
}

@_spi(StoreAuthors) extension LayeredStore: ProvenanceReporting {
    /// Where the values of keys came from: the layer that has the value, or all those that have a part of a merged one.
    ///
    /// The layers are read one after the other, so a value that moves between two of them meanwhile may be found in neither or
    /// in both.
    public func provenance(forKeys keys: [String], findingLines: Bool) -> TextDictionary<Provenance> {
        var open = keys
        var seen: TextDictionary<[StoredValue]> = [:]
        var parts: TextDictionary<[Provenance]> = [:]
        for layer in layers {
            // Values before their places: what has a place in the end was there before.
            var contributions: [String] = []
            for key in open {
                guard let value = layer.store.storedValue(forKey: key) else { continue }
                let upper = seen[key, default: []]
                seen[key] = upper + [value]
                if upper.isEmpty || joined(upper + [value], ofKey: key) != joined(upper, ofKey: key) {
                    contributions.append(key)
                }
            }
            if contributions.isEmpty { continue }
            let found = layer.store.provenance(ofKeys: contributions, findingLines: findingLines)
            for key in contributions {
                if let provenance = found[key] { parts[key, default: []].append(provenance.inLayer(named: layer.name)) }
            }
            open.removeAll { key in
                seen[key]?.last.map { !dictionaries.isOpen($0, ofKey: key) } ?? false
            }
        }
        return parts.compactMapValues(Provenance.init(joining:))
    }

    /// What readers see of values of a key, the highest first.
    private func joined(_ values: [StoredValue], ofKey key: String) -> PropertyListValue? {
        values.reversed().reduce(nil) { dictionaries.value($1, over: $0, ofKey: key) }?.value
    }
}

extension LayeredStore {
    /// Makes a store of another one, to which writes go, with a place for registered defaults below it.
    ///
    /// It has the name of the other store. The program's standard store is made like this, unless the program chooses one.
    ///
    /// - Parameter store: The store that has the values.
    public convenience init(registeringBelow store: any PropertyListStore) {
        let registered = RegistrationDomain()
        // A layer with the name of its store adds nothing to the provenance of a value.
        self.init([.init(store.name, store, isWritable: true), .init(registered.name, registered)], name: store.name)
    }
}

extension LayeredStore: RegisteringStore {
    /// Registers defaults in the lowest layer that takes them; see ``RegisteringStore/register(_:)``.
    public func register(_ values: PropertyListTable) throws(StoreError) {
        for layer in layers.reversed() {
            guard let store = layer.store as? any RegisteringStore else { continue }
            do throws(StoreError) {
                return try store.register(values)
            } catch {
                // Layers of layers can be asked in any case, but need not have a place.
                guard error.code == .cannotRegister else { throw error }
            }
        }
        throw .cannotRegister(in: name)
    }
}

extension PropertyListStore {
    /// Whether readers see the value of a layer above the written one in place of a value that is written for a key.
    package func hidesWrites(ofKey key: String) -> Bool { layerOfWrites?.isHidden(key) ?? false }

    /// Whether a layer above the written one has a value for a key, which may be merged with the written one.
    package func coversWrites(ofKey key: String) -> Bool { layerOfWrites?.isCovered(key) ?? false }

    /// Whether readers see no difference between two different values of the written store, because of the other layers.
    package func hidesWrite(ofKey key: String, from old: StoredValue?, to new: StoredValue?) -> Bool {
        layerOfWrites?.isHidden(key, from: old, to: new) ?? false
    }

    /// The value that readers see when the written store has a value.
    func visibleValue(ofKey key: String, written own: StoredValue?) -> StoredValue? {
        guard let layer = layerOfWrites else { return own }
        return layer.visibleValue(ofKey: key, written: own)
    }
}

extension LayeredStore {
    /// The highest layer of a name.
    package func layer(named name: String) -> Layer? {
        layers.first { $0.name.hasSameUTF8(as: name) }
    }

    /// The same layers with another one to which writes go.
    ///
    /// Reads see what they see here. Keys remember what they read for each store apart, so keep this one for several reads and
    /// writes. To read what one layer has by itself, ask the ``Layer/store`` of ``layer(named:)``.
    ///
    /// - Parameter layer: The name of the layer.
    /// - Throws: ``StoreError``: ``StoreError/Code/unknownLayer`` if no layer has that name, and
    ///   ``StoreError/Code/readOnly`` if the layer is not writable.
    package func writing(to layer: String) throws(StoreError) -> LayeredStore {
        guard let found = self.layer(named: layer) else { throw .unknownLayer(layer, of: self) }
        guard found.isWritable else { throw .readOnlyLayer(layer, of: self) }
        return LayeredStore(layers, writingTo: layer, dictionaries: dictionaries, name: name)
    }
}

extension StoreError.Code {
    /// The store has no layer of the name that was given.
    public static let unknownLayer = StoreError.Code("unknownLayer")
}

extension StoreError {
    static func unknownLayer(_ layer: String, of store: any PropertyListStore, key: String? = nil) -> StoreError {
        let names = (store as? LayeredStore)?.layers.filter(\.isWritable).map(\.name.quoted) ?? []
        return StoreError(
            .unknownLayer,
            store: store.name,
            key: key,
            reason: "there is no layer \(layer.quoted)",
            remedy: names.isEmpty ? "write to a LayeredStore with a writable layer" : names.asChoice
        )
    }

    static func readOnlyLayer(_ layer: String, of store: LayeredStore, key: String? = nil) -> StoreError {
        let names = store.layers.filter(\.isWritable).map(\.name.quoted)
        let remedy = "make the layer writable" + (names.isEmpty ? "" : ", or " + names.asChoice)
        return StoreError(
            .readOnly,
            store: store.name,
            key: key,
            reason: "the layer \(layer.quoted) can only be read",
            remedy: remedy
        )
    }
}

extension [String] {
    fileprivate var asChoice: String { "name one that may be written: " + joined(separator: ", ") }
}
