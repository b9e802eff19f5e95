/// One layer and all below it, as reads go through them.
///
/// Constants link the readers, not optionals or arrays, so the compiler sees that a reader outlives each call to it: a read
/// retains and releases nothing, and threads that read do not contend for a reference count.
protocol LayerReader: AnyObject, Sendable {
    /// A number that grows with each change of any of the layers; `nil` if one of them does not number its states.
    var generation: UInt64? { get }

    /// The value of a key in the highest layer that has one, with whether it is text.
    func storedValue(forKey key: String) -> StoredValue?

    /// All keys with the values that they have here, at one instant if the layers number their states.
    func snapshot() -> PropertyListTable
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

    /// The sum of the layers' generations, or `nil` if one of the layers does not number its states.
    ///
    /// The summands are not read at one instant, and need not be, because each of them only grows. A cache keeps, for the
    /// sum that a thread read first, the value that it read then. Let another thread read the same sum:
    ///
    /// - If it began after that value was read, none of its summands is less than the other thread's, so with equal sums
    ///   none is greater. Then nothing has changed, and the value is the present one.
    /// - If it began before, the value was the present one at an instant since it began. So it may be the answer.
    var generation: UInt64? {
        guard let own = store.revision?.generation, let others = below.generation else { return nil }
        return own &+ others
    }

    /// The value of a key in the highest layer that has one, at one instant.
    ///
    /// If a layer without a value gets one before the layers below have answered, all are read again. Only a change by another
    /// thread causes a repetition, so some thread always makes progress. A layer that does not number its states is read once.
    func storedValue(forKey key: String) -> StoredValue? {
        while true {
            let state = store.revision
            if let value = store.storedValue(forKey: key) { return value }
            let value = below.storedValue(forKey: key)
            if store.revision == state { return value }
        }
    }

    /// All keys with the values that they have here.
    ///
    /// Costs the number of keys of the smaller layers; the largest one is not copied.
    func snapshot() -> PropertyListTable {
        while true {
            let (state, statesBelow) = (store.revision, below.generation)
            let (own, others) = (store.snapshot(), below.snapshot())
            if store.revision == state, below.generation == statesBelow { return own.overlaid(on: others) }
        }
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

    /// A sum, as that of ``StackedLayer/generation``.
    var generation: UInt64? {
        guard let own = store.revision?.generation, let others = below.generation else { return nil }
        return own &+ others
    }

    /// The value of a key in the highest layer that has one, merged with those below, at one instant.
    ///
    /// If this layer changes before the layers below have answered, all are read again.
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

/// The lowest layer.
final class LowestLayer: LayerReader {
    private let store: any PropertyListStore

    init(_ store: any PropertyListStore) {
        self.store = store
    }

    var generation: UInt64? { store.revision?.generation }

    func storedValue(forKey key: String) -> StoredValue? { store.storedValue(forKey: key) }

    func snapshot() -> PropertyListTable { store.snapshot() }
}
