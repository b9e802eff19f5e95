/// The layer of a store to which its writes go, with what lies above and below it.
///
/// It is what ``PropertyListStore/writableLayer`` answers. A store that wraps another one passes it on.
public final class WritableLayer: Sendable {
    /// The name of the layer.
    public let name: String

    /// The store that holds what writes replace and remove: the layer, or the one that is written among its own layers.
    @usableFromInline let target: any PropertyListStore

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
        guard !batch.expected.isEmpty else { return try store.apply(batch) }
        var batch = batch
        batch.expected = try ownExpectations(batch.expected, named: name)
        try store.apply(batch)
    }

    /// What this layer's own values have to be for the expectations to hold.
    ///
    /// The layer compares its own values under the lock under which it writes. Those of the other layers are compared
    /// here, just before.
    private func ownExpectations(
        _ expectations: OneOrMany<PropertyListBatch.Expectation>,
        named name: String
    ) throws(StoreError) -> OneOrMany<PropertyListBatch.Expectation> {
        var own: OneOrMany<PropertyListBatch.Expectation> = .many([])
        try expectations.forEach { (expectation) throws(StoreError) in
            if expectation.isOfWrittenLayer { return own.append(expectation) }
            let key = expectation.key
            let ownValue = store.storedValue(forKey: key)
            var seen = dictionaries.value(ownValue, over: below.storedValue(forKey: key), ofKey: key)
            var isHidden = false
            for layer in above {
                guard let upper = layer.storedValue(forKey: key) else { continue }
                if !dictionaries.isOpen(upper, ofKey: key) { isHidden = true }
                seen = dictionaries.value(upper, over: seen, ofKey: key)
            }
            guard expectation.isMet(by: seen) else { throw .conflict(key: key, store: name) }
            if !isHidden { own.append(PropertyListBatch.Expectation(key: key, value: ownValue?.value)) }
        }
        return own
    }
}

extension PropertyListStore {
    /// The store that holds what writes replace and remove: this one, unless it is made of layers.
    @inlinable var writtenStore: any PropertyListStore { writableLayer?.target ?? self }

    /// The present values of the layers, apart from one another; of a store without layers all values are its own.
    var layeredState: LayeredState { writableLayer?.state ?? LayeredState(own: snapshot()) }
}
