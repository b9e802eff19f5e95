import KeyspanCore

/// A store in memory that knows how many observers it has.
final class ObserverCountingStore: PropertyListStore {
    private let memory = InMemoryStore()
    private let count = Locked(0)

    var name: String { memory.name }

    var revision: StoreRevision? { memory.revision }

    var observerCount: Int { count.withLock(\.self) }

    func value(forKey key: String) -> PropertyListValue? { memory.value(forKey: key) }

    func snapshot() -> PropertyListTable { memory.snapshot() }

    func apply(_ batch: PropertyListBatch) throws(StoreError) { try memory.apply(batch) }

    func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        let observation = memory.observe(keys, initial: initial, receive)
        count.withLock { $0 += 1 }
        return StoreObservation { [weak self] in
            observation.cancel()
            self?.count.withLock { $0 -= 1 }
        }
    }

    func synchronize() {}
}
