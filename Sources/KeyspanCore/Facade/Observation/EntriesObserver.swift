/// One observer of entries that can be in several stores: receives each change with all entries as of that change.
///
/// The entries of one store are from one instant. Between stores, the order of changes is that in which they are delivered.
final class EntriesObserver: Sendable {
    /// The entries of each store.
    typealias Entries = [ObjectIdentifier: ObservedEntries]

    /// The observed keys of one store.
    struct Place {
        let store: any PropertyListStore
        let keys: ObservedKeys
    }

    private struct State {
        /// The entries as far as they were received; those of all stores as soon as their present values have arrived.
        var entries: Entries = [:]
        /// Whether a change arrived before the present values of all stores had.
        var isBehind = false
    }

    private let placeCount: Int
    private let isInitialWanted: Bool
    private let state = Locked(State())
    private let queue: DeliveryQueue<Entries>

    private init(placeCount: Int, initial: Bool, queue: DeliveryQueue<Entries>) {
        self.placeCount = placeCount
        isInitialWanted = initial
        self.queue = queue
    }

    /// Registers an observer.
    ///
    /// - Parameters:
    ///   - places: The stores, each once.
    ///   - initial: Whether the observer first receives the present entries.
    ///   - receive: Called for each change, and never twice at once.
    /// - Returns: The registration. It ends when it is cancelled or released.
    static func register(
        at places: [Place],
        initial: Bool,
        _ receive: @escaping @Sendable (Entries) -> Void
    ) -> StoreObservation {
        let thread = ThreadIdentity.current
        let queue = DeliveryQueue(reservedFor: thread, receive)
        let observer = EntriesObserver(placeCount: places.count, initial: initial, queue: queue)
        let observations = places.map { place in
            let identifier = ObjectIdentifier(place.store)
            return place.store.observe(place.keys, initial: true) { observer.follow($0, of: identifier) }
        }
        if places.isEmpty, initial { _ = queue.append([:], by: thread) }
        queue.endReservation(on: thread)
        return StoreObservation {
            queue.cancel()
            for observation in observations {
                observation.cancel()
            }
        }
    }

    private func follow(_ change: PropertyListChange, of store: ObjectIdentifier) {
        let thread = ThreadIdentity.current
        let number: UInt64? = state.withLock { state in
            state.entries[store, default: ObservedEntries()].apply(change)
            let isComplete = state.entries.count == placeCount
            if !change.isInitial { state.isBehind = !isComplete }
            guard isComplete, !change.isInitial || isInitialWanted || state.isBehind else { return nil }
            // Under the lock, so that the order in the queue is that of the changes.
            return queue.append(state.entries, by: thread)
        }
        if let number { queue.deliver(through: number, on: thread) }
    }
}

/// An observer's copy of the entries that it observes, as of the last change that it received.
///
/// A change has only the entries that differ. The observer keeps the others as they were at that time, because the store may
/// be several changes ahead by now.
package struct ObservedEntries: Sendable {
    /// The entries by their names.
    private(set) var table = PropertyListTable()

    init() {}

    /// Applies a change; the first one has the present values.
    mutating func apply(_ change: PropertyListChange) {
        for entry in change.entries { table[stored: entry.key] = entry.storedNew }
    }

    /// The stored form that a key has in them.
    func stored<Value>(of key: Defaults.TypedKey<Value>) -> StoredValue? {
        key.coding.stored(under: key.name, in: table)
    }
}
