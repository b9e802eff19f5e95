internal import Synchronization

/// A store that lives in memory, for tests, previews and values that need no disk.
///
/// It holds property-list values and nothing else, so a key whose bridge fails on disk fails here as well. It never
/// touches the disk; ``synchronize()`` has nothing to do. Safe to use from any thread; a write takes one lock.
public final class InMemoryStore: PropertyListStore {
    public let name: String

    private let table: Mutex<PropertyListTable>
    private let counter = RevisionCounter()
    private let broadcaster = ChangeBroadcaster()

    /// Makes a store.
    ///
    /// - Parameters:
    ///   - values: What it holds at first.
    ///   - name: What it is called in errors and diagnostics.
    public init(_ values: PropertyListTable = [:], name: String = "in-memory store") {
        table = Mutex(values)
        self.name = name
    }

    public var revision: StoreRevision? { counter.current }

    public func value(forKey key: String) -> PropertyListValue? {
        table.withLock { $0[key] }
    }

    public func snapshot() -> PropertyListTable {
        table.withLock { $0 }
    }

    public func apply(_ batch: PropertyListBatch) throws(StoreError) {
        try table.withLock { (table) throws(StoreError) in
            let change = try table.apply(batch, store: name)
            guard !change.isEmpty else { return }
            counter.advance()
            broadcaster.enqueue(change)
        }
        broadcaster.deliver()
    }

    public func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        let observation = table.withLock { table in
            broadcaster.register(keys, initial: initial ? table : nil, receive)
        }
        broadcaster.deliver()
        return observation
    }

    public func synchronize() {}
}
