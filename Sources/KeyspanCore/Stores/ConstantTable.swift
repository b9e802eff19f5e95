/// A table that never changes: the counterpart of ``CommittedTable`` for stores that can only be read.
struct ConstantTable: Sendable {
    /// The values.
    let table: PropertyListTable

    /// The number of the only state.
    let revision = StoreRevision(store: RevisionCounter.makeStoreIdentifier(), generation: 0)

    /// Makes a table.
    init(_ table: PropertyListTable) {
        self.table = table
    }

    /// Tells an observer the values if it wants them; there will be no change.
    func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        // What the observer changes is its own doing, not that of a closure that registers it.
        if initial { QuietScope.leave { receive(keys.initialChange(from: table)) } }
        return StoreObservation {}
    }
}
