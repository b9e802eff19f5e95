/// An observer's own copy of the entries that it observes, as of the last change that it received.
///
/// A change has only the entries that differ. What the others were at that time only the observer knows: the store has what
/// they are by now, which can be several changes later.
package struct ObservedEntries: Sendable {
    private var table = PropertyListTable()

    init() {}

    /// Applies a change; the first one has the present values.
    mutating func apply(_ change: PropertyListChange) {
        for entry in change.entries { table[stored: entry.key] = entry.storedNew }
    }

    /// The stored form that a key has in them.
    func stored<Value>(of key: Defaults.Key<Value>) -> StoredValue? {
        key.coding.stored(under: key.name, in: table)
    }
}
