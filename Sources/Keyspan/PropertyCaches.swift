internal import KeyspanCore

/// What a ``Default`` keeps between reads, apart for each store: a property on the standard store has another store in each
/// operation with one of its own.
///
/// It keeps no store alive. What it kept of a store that is gone goes with the next store that it meets.
final class PropertyCaches<Value>: Sendable {
    private struct Entry {
        let identifier: ObjectIdentifier
        weak var store: (any PropertyListStore)?
        let cache: PropertyCache<Value>
    }

    private let entries = Locked<[Entry]>([])

    /// The cache of a store, made the first time.
    func cache(of store: any PropertyListStore) -> PropertyCache<Value> {
        entries.withLock { Self.cache(of: store, in: $0) } ?? add(store)
    }

    private static func cache(of store: any PropertyListStore, in entries: [Entry]) -> PropertyCache<Value>? {
        let identifier = ObjectIdentifier(store)
        // A store that is gone may have been in the same place. The reference to one that is there is not its last.
        let index = entries.firstIndex { $0.identifier == identifier && $0.store === store }
        return index.map { entries[$0].cache }
    }

    private func add(_ store: any PropertyListStore) -> PropertyCache<Value> {
        let new = PropertyCache<Value>()
        // Stores and caches are released after the lock: both may do anything then.
        let (cache, _, _) = entries.withLock { entries in
            let stores = entries.map(\.store)
            // Another thread may have been first.
            if let cache = Self.cache(of: store, in: entries) { return (cache, stores, entries) }
            let before = entries
            entries = zip(before, stores).compactMap { entry, store in store == nil ? nil : entry }
            entries.append(Entry(identifier: ObjectIdentifier(store), store: store, cache: new))
            return (new, stores, before)
        }
        return cache
    }
}
