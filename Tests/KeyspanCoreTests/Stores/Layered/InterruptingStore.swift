import KeyspanCore

/// A store in memory in which something happens between two steps of the one who uses it: after a read or a write, or
/// before an observer is registered.
final class InterruptingStore: ForwardingStore {
    let base: InMemoryStore
    private let interruption: @Sendable (InMemoryStore) -> Void
    private let isArmed = Locked(false)

    init(_ values: PropertyListTable = [:], _ interruption: @escaping @Sendable (InMemoryStore) -> Void) {
        base = InMemoryStore(values, name: "interrupting store")
        self.interruption = interruption
    }

    /// Lets it happen at the next read, write or registration.
    func interruptNextCall() {
        isArmed.withLock { $0 = true }
    }

    private func interrupt() {
        let isDue = isArmed.withLock { isArmed in
            defer { isArmed = false }
            return isArmed
        }
        if isDue { interruption(base) }
    }

    func storedValue(forKey key: String) -> StoredValue? {
        defer { interrupt() }
        return base.storedValue(forKey: key)
    }

    func snapshot() -> PropertyListTable {
        defer { interrupt() }
        return base.snapshot()
    }

    func apply(_ batch: PropertyListBatch) throws(StoreError) {
        try base.apply(batch)
        interrupt()
    }

    func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        interrupt()
        return base.observe(keys, initial: initial, receive)
    }
}
