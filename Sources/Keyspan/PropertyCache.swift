internal import KeyspanCore

/// The value that a ``Default`` keeps of one store between reads.
final class PropertyCache<Value>: Sendable {
    // Unchecked for the reason given at `Key`, which hands one value to all its readers as well.
    private struct Kept: @unchecked Sendable {
        var value: Value?
        /// How many changes were received: a value that was read before one of them is not kept after it.
        var changes = 0
    }

    /// A value on its way out of the lock.
    // Unchecked for the same reason.
    private struct Shared: @unchecked Sendable {
        let value: Value
    }

    private let kept = Locked(Kept())
    private let observation = Locked<StoreObservation?>(nil)

    /// The value that is kept, or else the one of the store, which is kept from now on.
    func value(of key: Defaults.Key<Value>, in store: any PropertyListStore) -> Value {
        let (value, changes) = kept.withLock { ($0.value.map(Shared.init), $0.changes) }
        if let value { return value.value }
        let read = Shared(value: Defaults(store)[key])
        let first = kept.withLock { kept -> Shared? in
            guard kept.changes == changes else { return nil }
            if let value = kept.value { return Shared(value: value) }
            kept.value = read.value
            return nil
        }
        // The value that another thread has kept meanwhile is the first one, and stays.
        return (first ?? read).value
    }

    /// Lets the next read ask the store.
    func forget() {
        let replaced = kept.withLock { kept in
            defer { kept = Kept(changes: kept.changes + 1) }
            return kept
        }
        // Released here, not under the lock: releasing a value can run anyone's `deinit`.
        withExtendedLifetime(replaced) {}
    }

    /// Forgets the value from now on when the store changes it.
    func follow(_ key: Defaults.Key<Value>, in store: any PropertyListStore) {
        guard observation.withLock({ $0 == nil }) else { return }
        let new = store.observe(key.observedKeys, initial: false) { [weak self] _ in self?.forget() }
        // Of two threads that come here at once one lets go of its observer.
        let superfluous = observation.withLock { observation -> StoreObservation? in
            if observation != nil { return new }
            observation = new
            return nil
        }
        superfluous?.cancel()
    }
}
