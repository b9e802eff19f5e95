/// A value for each store, such as a cache, that lasts as long as the store and does not keep it alive.
///
/// The values of released stores are removed whenever the number of entries has doubled, so there are at most as many of them
/// as there were of other stores. A store costs a constant number of steps on average.
package final class StoreTable<Value: Sendable>: Sendable {
    private struct Entry {
        weak var store: (any PropertyListStore)?
        let value: Value
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        /// The number of entries at which those of released stores are removed.
        var limit = 1

        func value(of store: any PropertyListStore) -> Value? {
            // A released store may have had the same address; its reference is `nil`. This one is retained by the caller.
            guard let entry = entries[ObjectIdentifier(store)], entry.store === store else { return nil }
            return entry.value
        }

        mutating func removeReleasedStores() {
            entries = entries.filter { $0.value.store != nil }
            limit = max(1, 2 * entries.count)
        }
    }

    private let state = Locked(State())

    /// Makes an empty table.
    package init() {}

    /// The value of a store, made the first time.
    package func value(of store: any PropertyListStore, make: () -> Value) -> Value {
        if let value = state.withLock({ $0.value(of: store) }) { return value }
        let new = Entry(store: store, value: make())
        // Stores and values are released outside the lock, because their deinitializers can run any code.
        let (value, _, _) = state.withLock { state in
            var (stores, removed): ([any PropertyListStore], [Entry]) = ([], [])
            // Another thread may have been first.
            if let value = state.value(of: store) { return (value, stores, removed) }
            if state.entries.count >= state.limit {
                stores = state.entries.values.compactMap(\.store)
                removed = Array(state.entries.values)
                state.removeReleasedStores()
            }
            if let replaced = state.entries.updateValue(new, forKey: ObjectIdentifier(store)) {
                removed.append(replaced)
            }
            return (new.value, stores, removed)
        }
        return value
    }
}
