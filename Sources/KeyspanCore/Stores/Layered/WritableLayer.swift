/// The layer of a store to which its writes go, with what lies above and below it.
///
/// It is what ``PropertyListStore/writableLayer`` answers. A store that wraps another one passes it on.
public final class WritableLayer: Sendable {
    /// The store that holds what writes replace and remove: the layer, or the one that is written among its own layers.
    @usableFromInline let target: any PropertyListStore

    private let store: any PropertyListStore
    private let above: any LayerReader
    private let below: any LayerReader

    /// Finds the first layer that may be written, or `nil` if none may.
    init?(of layers: [LayeredStore.Layer]) {
        guard let index = layers.firstIndex(where: \.isWritable) else { return nil }
        store = layers[index].store
        target = store.writtenStore
        above = StackedLayer.reader(of: layers[..<index])
        below = StackedLayer.reader(of: layers[(index + 1)...])
    }

    /// The present values of the layers, apart from one another.
    var state: LayeredState {
        var state = store.layeredState
        state.above = above.snapshot().overlaid(on: state.above)
        state.below = state.below.overlaid(on: below.snapshot())
        return state
    }

    /// Applies a batch whose expectations are about the values that readers of the layered store see.
    func apply(_ batch: PropertyListBatch, named name: String) throws(StoreError) {
        guard !batch.expectations.isEmpty else { return try store.apply(batch) }
        var batch = batch
        batch.expectations = try ownExpectations(batch.expectations, named: name)
        try store.apply(batch)
    }

    /// What this layer's own values have to be for the expectations to hold.
    ///
    /// The layer compares its own values under the lock under which it writes. Those of the other layers are compared
    /// here, just before.
    private func ownExpectations(
        _ expectations: [PropertyListBatch.Expectation],
        named name: String
    ) throws(StoreError) -> [PropertyListBatch.Expectation] {
        var own: [PropertyListBatch.Expectation] = []
        for expectation in expectations {
            if expectation.isOfWrittenLayer {
                own.append(expectation)
            } else if let value = above.value(forKey: expectation.key) {
                guard value == expectation.value else { throw .conflict(key: expectation.key, store: name) }
            } else if store.value(forKey: expectation.key) != nil {
                own.append(expectation)
            } else {
                guard below.value(forKey: expectation.key) == expectation.value else {
                    throw .conflict(key: expectation.key, store: name)
                }
                own.append(PropertyListBatch.Expectation(key: expectation.key, value: nil))
            }
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
