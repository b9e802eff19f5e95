/// One observer of a layered store: hears every layer, and tells what changed in the end.
///
/// It follows each layer through its own table of what it has heard, in the order in which it heard it. So no change of a
/// layer is skipped, each change that is told begins where the one before ended, and when all layers have been heard, the
/// last one told is the final state. The tables have the observed keys only.
final class LayeredObserver: Sendable {
    private struct State {
        /// What each layer has, as far as it was heard; `nil` until its present values have arrived.
        var tables: [PropertyListTable?]
        /// Changes that arrived before the present values of all layers had.
        var waiting: [(change: PropertyListChange, layer: Int)] = []
        var isComplete = false
    }

    private let keys: ObservedKeys
    private let isInitialWanted: Bool
    private let dictionaries: LayeredStore.Dictionaries
    private let state: Locked<State>
    private let broadcaster = ChangeBroadcaster()

    private init(
        _ keys: ObservedKeys,
        initial: Bool,
        layerCount: Int,
        dictionaries: LayeredStore.Dictionaries
    ) {
        self.keys = keys
        isInitialWanted = initial
        self.dictionaries = dictionaries
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
        let observer = LayeredObserver(
            keys,
            initial: initial,
            layerCount: layers.count,
            dictionaries: dictionaries
        )
        let registration = observer.broadcaster.register(.all, initial: nil, receive)
        let observations = layers.enumerated().map { index, layer in
            layer.store.observe(keys, initial: true) { observer.hear($0, from: index) }
        }
        if layers.isEmpty { observer.tellPresentValues() }
        return StoreObservation {
            registration.cancel()
            for observation in observations {
                observation.cancel()
            }
        }
    }

    private func tellPresentValues() {
        state.withLock { complete(&$0) }
        broadcaster.deliver()
    }

    private func hear(_ change: PropertyListChange, from layer: Int) {
        state.withLock { state in
            if change.isInitial {
                state.tables[layer] = PropertyListTable(present: change)
                if !state.tables.contains(nil) { complete(&state) }
            } else if state.isComplete {
                follow(change, from: layer, in: &state)
            } else {
                state.waiting.append((change, layer))
            }
        }
        broadcaster.deliver()
    }

    /// Begins to tell, now that the present values of all layers are known.
    private func complete(_ state: inout State) {
        state.isComplete = true
        if isInitialWanted {
            let present = state.tables.reversed().reduce(PropertyListTable()) { below, table in
                table?.overlaid(on: below, dictionaries: dictionaries) ?? below
            }
            broadcaster.enqueue(keys.initialChange(from: present))
        }
        for (change, layer) in state.waiting {
            follow(change, from: layer, in: &state)
        }
        state.waiting = []
    }

    /// Takes over what a layer changed, and tells what it means for those who read all layers.
    private func follow(_ change: PropertyListChange, from layer: Int, in state: inout State) {
        var entries: [PropertyListChange.Entry] = []
        for entry in change.entries {
            let old = value(forKey: entry.key, in: state.tables)
            state.tables[layer]?[entry.key] = entry.new
            let new = value(forKey: entry.key, in: state.tables)
            if old != new { entries.append(PropertyListChange.Entry(key: entry.key, old: old, new: new)) }
        }
        guard !entries.isEmpty else { return }
        broadcaster.enqueue(PropertyListChange(entries: entries, isInitial: false, isQuiet: change.isQuiet))
    }

    private func value(forKey key: String, in tables: [PropertyListTable?]) -> PropertyListValue? {
        tables.reversed().reduce(nil) { below, table in
            dictionaries.value(table?[key], over: below, ofKey: key)
        }
    }
}

extension PropertyListTable {
    /// The values of an initial change.
    fileprivate init(present change: PropertyListChange) {
        self.init()
        for entry in change.entries {
            self[entry.key] = entry.new
        }
    }
}
