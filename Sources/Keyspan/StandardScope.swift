internal import KeyspanCore

/// A standard store with what belongs to it: the one of the process, or that of an operation.
final class StandardScope: Sendable {
    let store: any PropertyListStore

    /// Lets `withObservationTracking` see the reads of properties in the store.
    let tracker: StoreTracker

    init(_ store: any PropertyListStore) {
        self.store = store
        tracker = StoreTracker(store)
    }
}
