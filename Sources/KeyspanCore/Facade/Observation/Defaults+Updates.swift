extension Defaults {
    /// The values of a key from now on, one for each change.
    ///
    /// Values arrive in the order of the writes, and the last one is the value in the store. By default none is left out: they wait
    /// for a slow reader. The observer is registered before this returns. The stream ends when the task that reads it is canceled.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - initial: Whether the present value comes first.
    ///   - buffering: Which elements wait for a slow reader: by default all of them.
    public func updates<Value>(
        _ key: Key<Value>,
        initial: Bool = true,
        buffering: UpdateBuffering = .every
    ) -> AsyncStream<Value> {
        AsyncStream(bufferingPolicy: buffering.policy()) { [store] continuation in
            let observation = key.observeStored(in: store, initial: initial) { change in
                continuation.yield(key.value(of: change.new, in: store))
            }
            continuation.onTermination = { _ in observation.cancel() }
        }
    }

    /// The values of a throwing key from now on, one for each change, or the errors with which reading them failed.
    ///
    /// Otherwise it behaves as for plain keys.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - initial: Whether the present value comes first.
    ///   - buffering: Which elements wait for a slow reader: by default all of them.
    public func updates<Value>(
        _ key: ThrowingKey<Value>,
        initial: Bool = true,
        buffering: UpdateBuffering = .every
    ) -> AsyncStream<Result<Value, ReadError>> {
        AsyncStream(bufferingPolicy: buffering.policy()) { [store] continuation in
            let observation = key.observeStored(in: store, initial: initial) { change in
                continuation.yield(key.result(of: change.new, in: store))
            }
            continuation.onTermination = { _ in observation.cancel() }
        }
    }

    /// The values of several keys from now on, together, one tuple for each batch that changed any of them.
    ///
    /// All values of a tuple are from the instant of the change, so a batch is never seen in part. By default no change is left out,
    /// and the last tuple has the values in the store. The observer is registered before this returns. The stream ends when the task
    /// that reads it is canceled.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - initial: Whether the present values come first.
    ///   - buffering: Which elements wait for a slow reader: by default all of them.
    @_disfavoredOverload
    public func updates<each Value>(
        _ keys: repeat Key<each Value>,
        initial: Bool = true,
        buffering: UpdateBuffering = .every
    ) -> AsyncStream<(repeat each Value)> {
        Self.updates(of: repeat KeyInStore(each keys, in: store), initial: initial, buffering: buffering)
    }

    /// The values of keys in any stores from now on, together, one tuple for each batch that changed any of them.
    package static func updates<each Value>(
        of keys: repeat KeyInStore<each Value>,
        initial: Bool,
        buffering: UpdateBuffering
    ) -> AsyncStream<(repeat each Value)> {
        var names: [ObjectIdentifier: (store: any PropertyListStore, names: Set<UTF8Text>)] = [:]
        for key in repeat each keys {
            names[ObjectIdentifier(key.store), default: (key.store, [])].names.formUnion(Set(key.key.entryNames))
        }
        let places = names.values.map { store, names in
            EntriesObserver.Place(store: store, keys: .named(LibraryEntries.reported(in: names, of: store)))
        }
        return AsyncStream(bufferingPolicy: buffering.policy()) { continuation in
            let observation = EntriesObserver.register(at: places, initial: initial) { entries in
                continuation.yield((repeat (each keys).value(in: entries)))
            }
            continuation.onTermination = { _ in observation.cancel() }
        }
    }

    /// An element for each batch that changed any of these keys, without the values.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - initial: Whether one element comes at once.
    ///   - buffering: Which elements wait for a slow reader: by default all of them.
    public func updates(
        _ keys: [AnyKey],
        initial: Bool = true,
        buffering: UpdateBuffering = .every
    ) -> AsyncStream<Void> {
        Self.updates(in: [(store, keys)], initial: initial, buffering: buffering)
    }

    /// An element for each batch that changed any of these keys in these stores, without the values.
    package static func updates(
        in places: [(store: any PropertyListStore, keys: [AnyKey])],
        initial: Bool,
        buffering: UpdateBuffering
    ) -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: buffering.policy()) { continuation in
            if initial { continuation.yield() }
            let observations = places.map { store, keys in
                store.observe(.entries(of: keys, in: store), initial: false) { _ in continuation.yield() }
            }
            continuation.onTermination = { _ in
                for observation in observations { observation.cancel() }
            }
        }
    }
}

/// A key together with the store in which it is observed.
package struct KeyInStore<Value>: Sendable {
    let key: Defaults.Key<Value>
    let store: any PropertyListStore

    package init(_ key: Defaults.Key<Value>, in store: any PropertyListStore) {
        self.key = key
        self.store = store
    }

    /// The value of the key in the entries, or the default.
    func value(in entries: EntriesObserver.Entries) -> Value {
        key.value(of: entries[ObjectIdentifier(store)]?.stored(of: key), in: store)
    }
}
