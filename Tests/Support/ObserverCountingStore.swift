@_spi(StoreAuthors) package import KeyspanCore

/// A store in memory that counts its observers.
package final class ObserverCountingStore: ForwardingStore {
    package let base: InMemoryStore
    private let count = Locked(0)

    package init(_ base: InMemoryStore = InMemoryStore()) {
        self.base = base
    }

    package var observerCount: Int { count.withLock(\.self) }

    package func observe(
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
