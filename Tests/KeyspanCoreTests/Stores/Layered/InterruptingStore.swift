import KeyspanCore

/// A store in memory in which something happens right after a read, before the reader goes on.
final class InterruptingStore: PropertyListStore {
    private let memory = InMemoryStore(name: "interrupting store")
    private let interruption: @Sendable (InMemoryStore) -> Void
    private let isArmed = Locked(false)

    init(_ interruption: @escaping @Sendable (InMemoryStore) -> Void) {
        self.interruption = interruption
    }

    /// Lets it happen after the next read of a value or snapshot.
    func interruptNextRead() {
        isArmed.withLock { $0 = true }
    }

    private func interrupt() {
        let isDue = isArmed.withLock { isArmed in
            defer { isArmed = false }
            return isArmed
        }
        if isDue { interruption(memory) }
    }

    var name: String { memory.name }

    var revision: StoreRevision? { memory.revision }

    func value(forKey key: String) -> PropertyListValue? {
        defer { interrupt() }
        return memory.value(forKey: key)
    }

    func snapshot() -> PropertyListTable {
        defer { interrupt() }
        return memory.snapshot()
    }

    func apply(_ batch: PropertyListBatch) throws(StoreError) { try memory.apply(batch) }

    func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        memory.observe(keys, initial: initial, receive)
    }

    func synchronize() {}
}
