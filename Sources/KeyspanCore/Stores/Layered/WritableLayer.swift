/// The layer that a layered store writes to, with what lies above and below it.
struct WritableLayer: Sendable {
    private let store: any PropertyListStore
    private let above: any LayerReader
    private let below: any LayerReader

    /// Finds the first layer that may be written, or `nil` if none may.
    init?(of layers: [LayeredStore.Layer]) {
        guard let index = layers.firstIndex(where: \.isWritable) else { return nil }
        store = layers[index].store
        above = StackedLayer.reader(of: layers[..<index])
        below = StackedLayer.reader(of: layers[(index + 1)...])
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
            if let value = above.value(forKey: expectation.key) {
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
