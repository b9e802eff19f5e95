/// The layer of a store to which its writes go, with the layers above and below it.
@_spi(StoreAuthors) public final class WritableLayer: Sendable {
    /// The name of the layer.
    @_spi(StoreAuthors) public let name: String

    /// The store that holds the values which writes replace: the layer, or the written one among its own layers.
    let target: any PropertyListStore

    private let store: any PropertyListStore
    /// The lowest first.
    private let above: [any PropertyListStore]
    private let below: any LayerReader
    private let dictionaries: LayeredStore.Dictionaries

    /// Takes one of several layers.
    init(at index: Int, of layers: [LayeredStore.Layer], dictionaries: LayeredStore.Dictionaries) {
        name = layers[index].name
        store = layers[index].store
        target = store.writtenStore
        above = layers[..<index].reversed().map(\.store)
        below = StackedLayer.reader(of: layers[(index + 1)...], dictionaries: dictionaries)
        self.dictionaries = dictionaries
    }

    /// Whether a layer above the one that is written has a value for a key, which readers see in its place.
    func isHidden(_ key: String) -> Bool {
        isCovered(key) { !dictionaries.isOpen($0, ofKey: key) } || store.hidesWrites(ofKey: key)
    }

    /// Whether readers see no difference between two different values of the layer that is written, because of the layers above,
    /// or because a layer below has one of them.
    func isHidden(_ key: String, from old: StoredValue?, to new: StoredValue?) -> Bool {
        old != new && visibleValue(ofKey: key, written: old) == visibleValue(ofKey: key, written: new)
    }

    /// The value that readers see when the layer that is written has a value.
    func visibleValue(ofKey key: String, written own: StoredValue?) -> StoredValue? {
        combination(of: store.visibleValue(ofKey: key, written: own), forKey: key).value
    }

    /// The value that readers see over one of this layer, and whether a layer above hides all of that one.
    private func combination(of own: StoredValue?, forKey key: String) -> (value: StoredValue?, isHidden: Bool) {
        var seen = dictionaries.value(own, over: below.storedValue(forKey: key), ofKey: key)
        var isHidden = false
        for layer in above {
            guard let upper = layer.storedValue(forKey: key) else { continue }
            if !dictionaries.isOpen(upper, ofKey: key) { isHidden = true }
            seen = dictionaries.value(upper, over: seen, ofKey: key)
        }
        return (seen, isHidden)
    }

    /// Whether a layer above the one that is written has a value for a key.
    func isCovered(_ key: String) -> Bool {
        isCovered(key) { _ in true } || (store.layerOfWrites?.isCovered(key) ?? false)
    }

    private func isCovered(_ key: String, where condition: (StoredValue) -> Bool) -> Bool {
        above.contains { $0.storedValue(forKey: key).map(condition) ?? false }
    }

    /// The present values of the layers, apart from one another.
    var state: LayeredState {
        var state = store.layeredState
        state.add(below.snapshot(), above: false, dictionaries: dictionaries)
        for layer in above {
            state.add(layer.snapshot(), above: true, dictionaries: dictionaries)
        }
        return state
    }

    /// Applies a batch whose expectations are about the values that readers of the layered store see.
    func apply(_ batch: PropertyListBatch, named name: String) throws(StoreError) {
        // Without a copy, because most batches expect nothing.
        if batch.expected.isEmpty { return try store.apply(batch) }
        try store.apply(ownBatch(for: batch, named: name))
    }

    /// Commits a batch whose expectations are about the values that readers of the layered store see.
    func commit(_ batch: PropertyListBatch, named name: String) async throws(StoreError) {
        try await store.commit(ownBatch(for: batch, named: name))
    }

    private func ownBatch(for batch: PropertyListBatch, named name: String) throws(StoreError) -> PropertyListBatch {
        guard !batch.expected.isEmpty else { return batch }
        var batch = batch
        batch.expected = try ownExpectations(batch.expected, named: name)
        return batch
    }

    /// Notes a conflict that the layers decide as one of the store that would have been written.
    private func noteConflict() {
        guard let activity = (target as? any ActivityBroadcasting)?.activity else { return }
        activity.note(.conflict)
        activity.deliver()
    }

    /// Whether this is the layer of a store.
    func isLayer(of other: any PropertyListStore) -> Bool { store === other }

    /// The values that this layer must have for the expectations to hold.
    ///
    /// The layer compares its own values under the lock under which it writes. Those of the other layers are compared
    /// here, just before.
    private func ownExpectations(
        _ expectations: OneOrMany<PropertyListBatch.Expectation>,
        named name: String
    ) throws(StoreError) -> OneOrMany<PropertyListBatch.Expectation> {
        var own: OneOrMany<PropertyListBatch.Expectation> = .many([])
        try expectations.forEach { (expectation) throws(StoreError) in
            if expectation.isAboutWrittenStore { return own.append(expectation) }
            let key = expectation.key
            let ownValue = store.storedValue(forKey: key)
            let (seen, isHidden) = combination(of: ownValue, forKey: key)
            guard expectation.isMet(by: seen) else {
                noteConflict()
                throw .conflict(key: key, store: name)
            }
            if !isHidden { own.append(PropertyListBatch.Expectation(key: key, value: ownValue?.value)) }
        }
        return own
    }
}

/// A store that is made of layers, or wraps one that is.
///
/// Edits of a batch need more of such a store than ``PropertyListStore/writtenStore``: the values of each layer, apart from one
/// another. A store that wraps a ``LayeredStore`` conforms to this and passes on both answers of that one.
@_spi(StoreAuthors) public protocol LayeredPropertyListStore: PropertyListStore {
    /// The layer that writes go to; `nil` if there is none, and then writes are refused.
    var writableLayer: WritableLayer? { get }
}

extension PropertyListStore {
    /// The layer that writes go to, unless writes replace what readers see.
    var layerOfWrites: WritableLayer? {
        if writtenStore === self { return nil }
        return (self as? any LayeredPropertyListStore)?.writableLayer
    }

    /// The present values of the layers, apart from one another; a store without layers has only its own.
    var layeredState: LayeredState {
        if let layer = layerOfWrites { return layer.state }
        let written = writtenStore
        if written === self { return LayeredState(own: snapshot()) }
        // A wrapper that names its written store but not its layers: readers see its whole state over that of the written store.
        var state = LayeredState(own: written.snapshot())
        state.add(snapshot(), above: true, dictionaries: .whole)
        return state
    }
}

/// A state of a store, with the values of the written layer apart from those of other layers.
///
/// The parts need not be from one instant, because a batch expects every value that its edit has read.
struct LayeredState: Sendable {
    /// The values of other layers, from the written layer outwards: a store of layers can be a layer itself.
    private struct Step: Sendable {
        let table: PropertyListTable
        let isAbove: Bool
        let dictionaries: LayeredStore.Dictionaries

        func value(with value: StoredValue?, forKey key: String) -> StoredValue? {
            let other = table[stored: key]
            return isAbove
                ? dictionaries.value(other, over: value, ofKey: key)
                : dictionaries.value(value, over: other, ofKey: key)
        }
    }

    /// The values that writes replace and remove.
    private(set) var own: PropertyListTable

    private var others: [Step] = []

    /// A state without other layers.
    init(own: PropertyListTable) {
        self.own = own
    }

    /// Adds the values of a layer, or of several layers combined.
    mutating func add(_ table: PropertyListTable, above isAbove: Bool, dictionaries: LayeredStore.Dictionaries) {
        guard !table.isEmpty else { return }
        others.append(Step(table: table, isAbove: isAbove, dictionaries: dictionaries))
    }

    /// Whether names lead into dictionaries of the written layer.
    var isNamed: Bool { own.naming != nil }

    /// Applies a write where its name leads.
    mutating func apply(_ write: PropertyListBatch.Write) {
        if write.removesAll { own.removeAll() } else { own.set(write.value, named: write.key) }
    }

    /// Whether there are values of other layers.
    var isLayered: Bool { !others.isEmpty }

    /// The value that readers see.
    subscript(key: String) -> StoredValue? { value(with: own[stored: key], forKey: key) }

    /// The value that readers see when the layer that is written has none.
    func otherValue(forKey key: String) -> StoredValue? { value(with: nil, forKey: key) }

    private func value(with own: StoredValue?, forKey key: String) -> StoredValue? {
        others.reduce(own) { $1.value(with: $0, forKey: key) }
    }
}
