import KeyspanCore

/// A store in memory that knows how many observers it has.
final class ObserverCountingStore: ForwardingStore {
    let base = InMemoryStore()
    private let count = Locked(0)

    var observerCount: Int { count.withLock(\.self) }

    func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        let observation = base.observe(keys, initial: initial, receive)
        count.withLock { $0 += 1 }
        return StoreObservation { [weak self] in
            observation.cancel()
            self?.count.withLock { $0 -= 1 }
        }
    }
}
