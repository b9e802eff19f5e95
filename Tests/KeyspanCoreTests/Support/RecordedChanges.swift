import KeyspanCore

/// The changes of a store that an operation makes, each as the names of its entries.
func recordedChanges(of store: any PropertyListStore, during operation: () throws -> Void) rethrows -> [[String]] {
    let changes = Locked<[[String]]>([])
    let observation = store.observe(.all, initial: false) { change in
        changes.withLock { $0.append(change.entries.map(\.key).sorted()) }
    }
    try operation()
    observation.cancel()
    return changes.withLock(\.self)
}
