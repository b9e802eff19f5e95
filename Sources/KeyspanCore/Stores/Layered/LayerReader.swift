/// One layer and all below it, as reads go through them.
///
/// Constants link the readers, not optionals or arrays, so the compiler sees that a reader outlives each call to it: a read
/// retains and releases nothing, and threads that read do not contend for a reference count.
protocol LayerReader: AnyObject, Sendable {
    /// The value of a key in the highest layer that has one, with whether it is text.
    func storedValue(forKey key: String) -> StoredValue?

    /// The tables of this layer and those below it, the highest first, read one after the other.
    func tables() -> [PropertyListTable]

    /// All keys with the values that they have in tables of these layers.
    ///
    /// Costs the number of keys of the smaller layers; the largest one is not copied.
    func merge(_ tables: ArraySlice<PropertyListTable>) -> PropertyListTable
}

extension LayerReader {
    /// All keys with the values that they have here, read from one layer after the other.
    func snapshot() -> PropertyListTable { merge(tables()[...]) }
}

/// A layer that has others below it.
final class StackedLayer: LayerReader {
    private let store: any PropertyListStore
    private let below: any LayerReader

    private init(_ store: any PropertyListStore, on below: any LayerReader) {
        self.store = store
        self.below = below
    }

    /// Builds the chain of readers, highest layer first; an empty chain finds nothing.
    static func reader(
        of layers: some BidirectionalCollection<LayeredStore.Layer>,
        dictionaries: LayeredStore.Dictionaries
    ) -> any LayerReader {
        let lowest: any LayerReader = LowestLayer(layers.last?.store ?? InMemoryStore())
        return layers.dropLast().reversed().reduce(lowest) { below, layer in
            if dictionaries == .whole { return StackedLayer(layer.store, on: below) }
            return MergingLayer(layer.store, on: below, dictionaries: dictionaries)
        }
    }

    /// The value of a key in the highest layer that has one, at one instant.
    ///
    /// If a layer without a value gets one before the layers below have answered, all are read again. Only a change by another
    /// thread causes a repetition, so some thread always makes progress. A layer that does not number its states is read once.
    func storedValue(forKey key: String) -> StoredValue? {
        let stripe = KeyStripe(of: key)
        while true {
            let state = store.revision(of: stripe)
            if let value = store.storedValue(forKey: key) { return value }
            let value = below.storedValue(forKey: key)
            if store.revision(of: stripe) == state { return value }
        }
    }

    func tables() -> [PropertyListTable] { [store.snapshot()] + below.tables() }

    func merge(_ tables: ArraySlice<PropertyListTable>) -> PropertyListTable {
        tables[tables.startIndex].overlaid(on: below.merge(tables.dropFirst()))
    }
}

/// A layer that has others below it, whose dictionaries are merged with theirs.
///
/// It is a type of its own beside ``StackedLayer`` so that stores that merge nothing do not check for it on each read.
final class MergingLayer: LayerReader {
    private let store: any PropertyListStore
    private let below: any LayerReader
    private let dictionaries: LayeredStore.Dictionaries

    init(_ store: any PropertyListStore, on below: any LayerReader, dictionaries: LayeredStore.Dictionaries) {
        self.store = store
        self.below = below
        self.dictionaries = dictionaries
    }

    /// The value of a key in the highest layer that has one, merged with those below, at one instant.
    ///
    /// If this layer changes before the layers below have answered, all are read again.
    func storedValue(forKey key: String) -> StoredValue? {
        let stripe = KeyStripe(of: key)
        while true {
            let state = store.revision(of: stripe)
            let own = store.storedValue(forKey: key)
            if let own, !dictionaries.isOpen(own, ofKey: key) { return own }
            let value = dictionaries.value(own, over: below.storedValue(forKey: key), ofKey: key)
            if store.revision(of: stripe) == state { return value }
        }
    }

    func tables() -> [PropertyListTable] { [store.snapshot()] + below.tables() }

    func merge(_ tables: ArraySlice<PropertyListTable>) -> PropertyListTable {
        tables[tables.startIndex].overlaid(on: below.merge(tables.dropFirst()), dictionaries: dictionaries)
    }
}

/// The lowest layer.
final class LowestLayer: LayerReader {
    private let store: any PropertyListStore

    init(_ store: any PropertyListStore) {
        self.store = store
    }

    func storedValue(forKey key: String) -> StoredValue? { store.storedValue(forKey: key) }

    func tables() -> [PropertyListTable] { [store.snapshot()] }

    func merge(_ tables: ArraySlice<PropertyListTable>) -> PropertyListTable { tables[tables.startIndex] }
}
