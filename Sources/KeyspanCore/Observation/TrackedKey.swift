/// The value of a key in one store, whose reads are tracked: what a binding reads and writes.
///
/// It keeps the tracker, so who has been told of a read hears of changes for as long as this value is held.
package struct TrackedKey<Value>: Sendable {
    let key: Defaults.Key<Value>
    let tracker: StoreTracker

    /// The value in the store, or the default; as the subscript of ``Defaults``.
    package var value: Value {
        get {
            // Before the read, so that a change after it is one of something that was read.
            tracker.access(key)
            return tracker.defaults[key]
        }
        nonmutating set { tracker.defaults[key] = newValue }
    }
}
