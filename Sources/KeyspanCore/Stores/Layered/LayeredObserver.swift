/// One observer of a layered store: observes every layer, and is notified when the value that readers see changes.
///
/// It keeps a table for each layer and applies that layer's changes to it in the order of their arrival. So no change of a
/// layer is skipped, each delivered change begins where the one before ended, and the last delivered change is the final
/// state. The tables contain only the observed keys.
final class LayeredObserver: Sendable {
    private struct State {
        /// What each layer has, as far as it was received; `nil` until its present values have arrived.
        var tables: [PropertyListTable?]
        /// Changes that arrived before the present values of all layers had.
        var waiting: [(change: PropertyListChange, layer: Int)] = []
        var isComplete = false
    }

    private let keys: ObservedKeys
    private let isInitialWanted: Bool
    private let dictionaries: LayeredStore.Dictionaries
    private let state: Locked<State>
    private let queue: DeliveryQueue<PropertyListChange>

    private init(
        _ keys: ObservedKeys,
        initial: Bool,
        layerCount: Int,
        dictionaries: LayeredStore.Dictionaries,
        queue: DeliveryQueue<PropertyListChange>
    ) {
        self.keys = keys
        isInitialWanted = initial
        self.dictionaries = dictionaries
        self.queue = queue
        state = Locked(State(tables: Array(repeating: nil, count: layerCount)))
    }

    /// Registers an observer at all layers.
    static func register(
        _ keys: ObservedKeys,
        initial: Bool,
        at layers: [LayeredStore.Layer],
        dictionaries: LayeredStore.Dictionaries,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        let thread = ThreadIdentity.current
        let queue = DeliveryQueue(reservedFor: initial ? thread : nil, receive)
        let observer = LayeredObserver(
            keys,
            initial: initial,
            layerCount: layers.count,
            dictionaries: dictionaries,
            queue: queue
        )
        let observations = layers.enumerated().map { index, layer in
            layer.store.observe(keys, initial: true) { observer.follow($0, from: index) }
        }
        if layers.isEmpty { observer.deliverPresentValues() }
        // A layer that gives its present values later does so on another thread.
        queue.endReservation(on: thread)
        return StoreObservation {
            queue.cancel()
            for observation in observations {
                observation.cancel()
            }
        }
    }

    private func deliverPresentValues() {
        let thread = ThreadIdentity.current
        if let number = state.withLock({ complete(&$0, on: thread) }) { queue.deliver(through: number, on: thread) }
    }

    private func follow(_ change: PropertyListChange, from layer: Int) {
        let thread = ThreadIdentity.current
        let number: UInt64? = state.withLock { state in
            if change.isInitial {
                state.tables[layer] = PropertyListTable(present: change)
                return state.tables.contains(nil) ? nil : complete(&state, on: thread)
            }
            guard state.isComplete else {
                state.waiting.append((change, layer))
                return nil
            }
            return apply(change, from: layer, to: &state, on: thread)
        }
        if let number { queue.deliver(through: number, on: thread) }
    }

    /// Begins to enqueue changes, now that the present values of all layers are known.
    ///
    /// - Returns: The number of the last element in the queue, if one was appended.
    private func complete(_ state: inout State, on thread: ThreadIdentity) -> UInt64? {
        state.isComplete = true
        var last: UInt64?
        if isInitialWanted {
            let present = state.tables.reversed().reduce(PropertyListTable()) { below, table in
                table?.overlaid(on: below, dictionaries: dictionaries) ?? below
            }
            last = queue.append(keys.initialChange(from: present), by: thread)
        }
        for (change, layer) in state.waiting {
            last = apply(change, from: layer, to: &state, on: thread) ?? last
        }
        state.waiting = []
        return last
    }

    /// Applies the change of a layer, and enqueues the change that results for readers of all layers.
    ///
    /// - Returns: The number of the element in the queue, if the readers see a change.
    private func apply(
        _ change: PropertyListChange,
        from layer: Int,
        to state: inout State,
        on thread: ThreadIdentity
    ) -> UInt64? {
        var entries: [PropertyListChange.Entry] = []
        for entry in change.entries {
            let old = value(forKey: entry.key, in: state.tables)
            state.tables[layer]?[stored: entry.key] = entry.storedNew
            let new = value(forKey: entry.key, in: state.tables)
            if old != new {
                entries.append(PropertyListChange.Entry(key: entry.key, storedOld: old, storedNew: new))
            }
        }
        guard !entries.isEmpty else { return nil }
        return queue.append(
            PropertyListChange(entries: entries, isInitial: false, isQuiet: change.isQuiet),
            by: thread
        )
    }

    private func value(forKey key: String, in tables: [PropertyListTable?]) -> StoredValue? {
        tables.reversed().reduce(nil) { below, table in
            dictionaries.value(table?[stored: key], over: below, ofKey: key)
        }
    }
}

extension PropertyListTable {
    /// The values of an initial change.
    fileprivate init(present change: PropertyListChange) {
        self.init()
        for entry in change.entries {
            self[stored: entry.key] = entry.storedNew
        }
    }
}
