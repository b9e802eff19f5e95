/// A layer that has others below it, whose dictionaries are merged with theirs.
///
/// It is apart from ``StackedLayer``, so that reads of stores that merge nothing do not ask whether they do.
final class MergingLayer: LayerReader {
    private let store: any PropertyListStore
    private let below: any LayerReader
    private let dictionaries: LayeredStore.Dictionaries

    init(_ store: any PropertyListStore, on below: any LayerReader, dictionaries: LayeredStore.Dictionaries) {
        self.store = store
        self.below = below
        self.dictionaries = dictionaries
    }

    /// A sum, as that of ``StackedLayer/generation``.
    var generation: UInt64? {
        guard let own = store.revision?.generation, let others = below.generation else { return nil }
        return own &+ others
    }

    /// The value of a key in the highest layer that has one, merged with those below, at one instant.
    ///
    /// What this layer had when it was asked must still be so when the layers below have answered, or all are asked again.
    func storedValue(forKey key: String) -> StoredValue? {
        while true {
            let state = store.revision
            let own = store.storedValue(forKey: key)
            if let own, !dictionaries.isOpen(own, ofKey: key) { return own }
            let value = dictionaries.value(own, over: below.storedValue(forKey: key), ofKey: key)
            if store.revision == state { return value }
        }
    }

    func snapshot() -> PropertyListTable {
        while true {
            let (state, statesBelow) = (store.revision, below.generation)
            let (own, others) = (store.snapshot(), below.snapshot())
            if store.revision == state, below.generation == statesBelow {
                return own.overlaid(on: others, dictionaries: dictionaries)
            }
        }
    }
}
