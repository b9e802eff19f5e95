import KeyspanCore

/// A store whose values are all text that someone typed, as those of environment variables are, but can be written.
final class TextStore: ForwardingStore {
    let base: InMemoryStore

    init(_ values: PropertyListTable = [:], name: String = "text") {
        base = InMemoryStore(values, name: name)
    }

    func storedValue(forKey key: String) -> StoredValue? {
        base.value(forKey: key).map { StoredValue($0, isText: true) }
    }

    func snapshot() -> PropertyListTable { base.snapshot().markedAsText }

    func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        base.observe(keys, initial: initial) { change in
            let entries = change.entries.map { entry in
                PropertyListChange.Entry(
                    key: entry.key,
                    storedOld: entry.old.map { StoredValue($0, isText: true) },
                    storedNew: entry.new.map { StoredValue($0, isText: true) }
                )
            }
            receive(PropertyListChange(entries: entries, isInitial: change.isInitial, isQuiet: change.isQuiet))
        }
    }
}
