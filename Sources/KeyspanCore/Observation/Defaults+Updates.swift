extension Defaults {
    /// The values that a key has from now on, one for each change of it.
    ///
    /// Values arrive in the order of the writes, and the last one is the value in the store; none is left out, so a slow
    /// reader finds them all waiting. The observer is registered before this returns. The stream ends when the task that
    /// reads it is cancelled.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - initial: Whether the present value comes first.
    public func updates<Value>(_ key: Key<Value>, initial: Bool = true) -> AsyncStream<Value> {
        AsyncStream { [store] continuation in
            let observation = key.observeStored(in: store, initial: initial) { change in
                continuation.yield(key.decode(change.new, of: store))
            }
            continuation.onTermination = { _ in observation.cancel() }
        }
    }

    /// The values that a throwing key has from now on, one for each change of it, or the error with which reading it failed.
    ///
    /// Otherwise as for keys that do not throw.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - initial: Whether the present value comes first.
    public func updates<Value>(
        _ key: ThrowingKey<Value>,
        initial: Bool = true
    ) -> AsyncStream<Result<Value, ReadError>> {
        let key = key.key
        return AsyncStream { [store] continuation in
            let observation = key.observeStored(in: store, initial: initial) { change in
                continuation.yield(key.decodeResult(change.new, of: store))
            }
            continuation.onTermination = { _ in observation.cancel() }
        }
    }

    /// The values that several keys have from now on, together, one tuple for each batch that changed any of them.
    ///
    /// All values of a tuple are from one instant, that of the change, so a batch is never seen in part. No change is left
    /// out, and the last tuple is what is in the store. The observer is registered before this returns. The stream ends when
    /// the task that reads it is cancelled.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - initial: Whether the present values come first.
    @_disfavoredOverload
    public func updates<each Value>(
        _ keys: repeat Key<each Value>,
        initial: Bool = true
    ) -> AsyncStream<(repeat each Value)> {
        Self.updates(of: repeat KeyInStore(each keys, in: store), initial: initial)
    }

    /// The values that keys in any stores have from now on, together, one tuple for each batch that changed any of them.
    package static func updates<each Value>(
        of keys: repeat KeyInStore<each Value>,
        initial: Bool
    ) -> AsyncStream<(repeat each Value)> {
        var names: [ObjectIdentifier: (store: any PropertyListStore, names: Set<UTF8Text>)] = [:]
        for key in repeat each keys {
            names[ObjectIdentifier(key.store), default: (key.store, [])].names.formUnion(Set(key.key.entryNames))
        }
        let places = names.values.map { EntriesObserver.Place(store: $0.store, keys: .named($0.names)) }
        return AsyncStream { continuation in
            let observation = EntriesObserver.register(at: places, initial: initial) { entries in
                continuation.yield((repeat (each keys).value(in: entries)))
            }
            continuation.onTermination = { _ in observation.cancel() }
        }
    }

    /// An element for each batch that changed any of these keys, without their values.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - initial: Whether one element comes at once.
    public func updates(_ keys: [AnyKey], initial: Bool = true) -> AsyncStream<Void> {
        Self.updates(in: [(store, keys)], initial: initial)
    }

    /// An element for each batch that changed any of these keys in these stores, without their values.
    package static func updates(
        in places: [(store: any PropertyListStore, keys: [AnyKey])],
        initial: Bool
    ) -> AsyncStream<Void> {
        AsyncStream { continuation in
            if initial { continuation.yield() }
            let observations = places.map { store, keys in
                store.observe(.entries(of: keys), initial: false) { _ in continuation.yield() }
            }
            continuation.onTermination = { _ in
                for observation in observations { observation.cancel() }
            }
        }
    }
}
