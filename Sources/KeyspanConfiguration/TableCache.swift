#if Configuration
@_spi(StoreAuthors) internal import KeyspanCore

/// The present table of a store, which a store with layers merges once for each state and not once for each lookup.
final class TableCache: Sendable {
    private let store: any PropertyListStore
    // A store without layers has its table at hand, and its next write would copy a part of a table that is kept here.
    private let isKeeping: Bool
    private let last = Locked<(revision: StoreRevision, table: PropertyListTable)?>(nil)

    init(of store: any PropertyListStore) {
        self.store = store
        isKeeping = store is any LayeredPropertyListStore
    }

    /// The present table.
    var table: PropertyListTable {
        guard isKeeping, let revision = store.revision(of: .all) else { return store.snapshot() }
        if let last = last.withLock(\.self), last.revision == revision { return last.table }
        let table = store.snapshot()
        // A change since then may be in the table or not.
        if store.revision(of: .all) == revision { last.withLock { $0 = (revision, table) } }
        return table
    }
}
#endif
