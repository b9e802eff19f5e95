/// A standard store with what belongs to it: the one of the process, or that of an operation.
package final class StandardScope: Sendable {
    /// The store.
    package let store: any PropertyListStore

    /// Lets `withObservationTracking` see the reads of properties in the store.
    package let tracker: StoreTracker

    /// Makes a scope for a store.
    package init(_ store: any PropertyListStore) {
        self.store = store
        tracker = StoreTracker(store)
    }
}
