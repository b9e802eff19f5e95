public import Synchronization

// The static members that Defaults 9 has. Everything else is reached through `Defaults.standard` or `Defaults(store)`.

extension Defaults {
    /// The value of a key in the key's suite, or in the standard store if it has none: `Defaults[.launchCount]`.
    ///
    /// Behaves like the subscript of a `Defaults` value for that store. Reading does no I/O, except for the first use of the
    /// standard store, which opens it.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - suite: A store to use instead of the key's own.
    // The second parameter also keeps this subscript from hiding the instance subscript, which is in another module.
    public static subscript<Value>(
        key: Key<Value>,
        suite suite: (any PropertyListStore)? = nil
    ) -> Value {
        @inlinable
        get {
            // Written out, because `??` and `StandardStore.current` retain the store, and all threads share that atomic count.
            if let suite { return Defaults(suite)[key] }
            if let suite = key.suite { return Defaults(suite)[key] }
            if let direct = StorePlace.direct.load(ordering: .acquiring) {
                return direct._withUnsafeGuaranteedRef { key.value(in: $0.store) }
            }
            return Defaults(StandardStore.ofOperationOrProcess)[key]
        }
        @inlinable
        set {
            Defaults(suite ?? key.suite ?? StandardStore.current)[key] = newValue
        }
        @inlinable
        _modify {
            yield &Defaults(suite ?? key.suite ?? StandardStore.current)[key]
        }
    }

    /// Typed access to a suite, or to the standard store.
    static func suite(_ suite: (any PropertyListStore)?) -> Defaults {
        suite.map(Defaults.init) ?? .standard
    }
}

extension Defaults.AnyKey {
    /// Typed access to the key's suite, or to the standard store if it has none.
    var defaults: Defaults { .suite(suite) }

    /// Removes the value of this key, so that the key has its default again.
    public func reset() {
        defaults.reset(self)
    }
}

extension Defaults.Key where Value: Equatable {
    /// Whether the key has the value that it would have in an empty store.
    public var isDefaultValue: Bool { defaults.isDefaultValue(self) }
}

// MARK: - Removing values

extension Defaults {
    /// Removes the values of keys, in one batch for each store, so that each key has its default again.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - suite: A store to use instead of each key's own.
    public static func reset(_ keys: AnyKey..., suite: (any PropertyListStore)? = nil) {
        reset(keys, suite: suite)
    }

    /// Removes the values of keys, in one batch for each store, so that each key has its default again.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - suite: A store to use instead of each key's own.
    public static func reset(_ keys: [AnyKey], suite: (any PropertyListStore)? = nil) {
        if let suite { return Defaults(suite).reset(keys) }
        for (store, keys) in byStore(keys) {
            Defaults(store).reset(keys)
        }
    }

    /// Removes the values with these names in one batch.
    ///
    /// - Parameters:
    ///   - names: The names of the keys.
    ///   - suite: The store; the standard store if `nil`.
    public static func reset(_ names: String..., suite: (any PropertyListStore)? = nil) {
        reset(names, suite: suite)
    }

    /// Removes the values with these names in one batch.
    ///
    /// - Parameters:
    ///   - names: The names of the keys.
    ///   - suite: The store; the standard store if `nil`.
    public static func reset(_ names: [String], suite: (any PropertyListStore)? = nil) {
        self.suite(suite).reset(names)
    }

    /// Removes all values of a store in one batch, including values that no key names.
    ///
    /// - Parameter suite: The store; the standard store if `nil`.
    public static func removeAll(suite: (any PropertyListStore)? = nil) {
        self.suite(suite).removeAll()
    }

    /// The keys of each store, in the order in which the stores are first named.
    private static func byStore(_ keys: [AnyKey]) -> [(store: any PropertyListStore, keys: [AnyKey])] {
        var stores: [(store: any PropertyListStore, keys: [AnyKey])] = []
        for key in keys {
            let store = key.defaults.store
            if let index = stores.firstIndex(where: { $0.store === store }) {
                stores[index].keys.append(key)
            } else {
                stores.append((store, [key]))
            }
        }
        return stores
    }
}

// MARK: - Observing values

extension Defaults {
    /// The values of a key from now on, one for each change, in order.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - initial: Whether the present value comes first.
    ///   - buffering: Which elements wait for a slow reader: by default all of them.
    public static func updates<Value>(
        _ key: Key<Value>,
        initial: Bool = true,
        buffering: UpdateBuffering = .every
    ) -> AsyncStream<Value> {
        key.defaults.updates(key, initial: initial, buffering: buffering)
    }

    /// The values of several keys from now on, together.
    ///
    /// The stream has one tuple for each batch that changed any of the keys. By default it leaves none out, and the last tuple has the
    /// stored values. The values from one store are from one instant, that of the change. Changes of different stores come
    /// in the order in which they are delivered.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - initial: Whether the present values come first.
    ///   - buffering: Which elements wait for a slow reader: by default all of them.
    @_disfavoredOverload
    public static func updates<each Value>(
        _ keys: repeat Key<each Value>,
        initial: Bool = true,
        buffering: UpdateBuffering = .every
    ) -> AsyncStream<(repeat each Value)> {
        updates(
            of: repeat KeyInStore(each keys, in: (each keys).defaults.store),
            initial: initial,
            buffering: buffering
        )
    }

    /// An element for each batch that changed any of these keys, without the values.
    ///
    /// - Parameters:
    ///   - keys: The keys, which may be in several stores.
    ///   - initial: Whether one element comes at once.
    ///   - buffering: Which elements wait for a slow reader: by default all of them.
    public static func updates(
        _ keys: [AnyKey],
        initial: Bool = true,
        buffering: UpdateBuffering = .every
    ) -> AsyncStream<Void> {
        updates(in: byStore(keys), initial: initial, buffering: buffering)
    }

    /// Calls a handler after each change of a key, until the returned registration ends.
    ///
    /// Keep the registration: it ends when it is released. Calls never overlap and come in the order of the writes, usually
    /// on the thread that writes; the article *Observing changes* of `KeyspanCore` says when another thread makes them.
    /// The handler need not be `Sendable`, so the compiler does not check what it captures. `updates(_:initial:buffering:)` is checked.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - options: When else the handler is called; by default also once now, with the present value.
    ///   - handler: Receives the values before and after the change.
    public static func observe<Value>(
        _ key: Key<Value>,
        options: ObservationOptions = [.initial],
        handler: @escaping (KeyChange<Value>) -> Void
    ) -> some Observation {
        key.defaults.observe(key, options: options, handler: handler)
    }

    /// Calls a handler after each change of any of these keys, until the returned registration ends.
    ///
    /// A batch that changes several keys of one store is one change. Calls never overlap, even if the keys are in several
    /// stores.
    ///
    /// - Parameters:
    ///   - keys: The keys, which may be in several stores.
    ///   - options: When else the handler is called; by default also once now.
    ///   - handler: Called without the values.
    public static func observe(
        keys: AnyKey...,
        options: ObservationOptions = [.initial],
        handler: @escaping () -> Void
    ) -> some Observation {
        observe(keys: keys, options: options, handler: handler)
    }

    /// Calls a handler after each change of any of these keys, which may be in several stores.
    package static func observe(
        keys: [AnyKey],
        options: ObservationOptions,
        handler: @escaping () -> Void
    ) -> some Observation {
        observe(in: byStore(keys), options: options, handler: handler)
    }
}
