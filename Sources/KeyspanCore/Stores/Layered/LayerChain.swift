/// A layer and those below it, as reads go through them.
///
/// A chain of constants and not an array: the compiler sees that neither a layer nor the link to the next one can change
/// while it is asked, so a read retains and releases nothing, and threads that read do not share a count.
final class LayerChain: Sendable {
    private let store: any PropertyListStore
    private let below: LayerChain?

    /// Links layers, the highest first; `nil` if there are none.
    init?(_ layers: some BidirectionalCollection<LayeredStore.Layer>) {
        guard let first = layers.first else { return nil }
        store = first.store
        below = LayerChain(layers.dropFirst())
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
        guard let own = store.revision?.generation else { return nil }
        guard let below else { return own }
        guard let others = below.generation else { return nil }
        return own &+ others
    }

    /// The value of a key in the highest layer that has one.
    ///
    /// It is the value of one instant: a layer that had no value when it was asked must not have got one before the layers
    /// below have answered, or they are asked again. Only the changes of others can make a thread ask again, so some thread
    /// always goes forward. A layer that does not number its states is asked once.
    func value(forKey key: String) -> PropertyListValue? {
        guard let below else { return store.value(forKey: key) }
        while true {
            let state = store.revision
            if let value = store.value(forKey: key) { return value }
            let value = below.value(forKey: key)
            if store.revision == state { return value }
        }
    }

    /// Whether the value that a key has here is text.
    func holdsText(forKey key: String) -> Bool {
        if store.holdsText(forKey: key) { return true }
        guard let below, below.holdsText(forKey: key) else { return false }
        return store.value(forKey: key) == nil
    }

    /// All keys with the values that they have here, at one instant if the layers number their states.
    ///
    /// Costs the number of keys of the smaller layers; the largest one is not copied.
    func snapshot() -> PropertyListTable {
        guard let below else { return store.snapshot() }
        while true {
            let (state, statesBelow) = (store.revision, below.generation)
            let (own, others) = (store.snapshot(), below.snapshot())
            if store.revision == state, below.generation == statesBelow { return own.overlaid(on: others) }
        }
    }
}
