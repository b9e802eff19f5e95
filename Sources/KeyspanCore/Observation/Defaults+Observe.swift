extension Defaults {
    /// Calls a handler after each change of a key, until the registration that this returns ends.
    ///
    /// ```swift
    /// let defaults = Defaults(InMemoryStore())
    /// let volume = Defaults.Key<Int>("volume", default: 5)
    /// let observation = defaults.observe(volume, options: []) { change in
    ///     print("from \(change.oldValue) to \(change.newValue)")
    /// }
    /// ```
    ///
    /// Keep the registration: it ends when it is released. Writing an equal value is no change. Changes made in
    /// ``withoutPropagation(_:)`` are left out.
    ///
    /// The handler is called on the thread that writes, before its write returns, in the order of the writes; <doc:ObservingChanges>
    /// says when another thread calls it. Calls never overlap. It need not be `Sendable`, so that the compiler does not check what it captures: a handler that
    /// uses what belongs to one thread or actor is right only if the key is written there. `updates(_:initial:)` is
    /// checked.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - options: When else the handler is called; without an argument also once now, with the present value.
    ///   - handler: Is called with the values before and after.
    public func observe<Value>(
        _ key: Key<Value>,
        options: ObservationOptions = [.initial],
        handler: @escaping (KeyChange<Value>) -> Void
    ) -> some Observation {
        let handler = UncheckedHandler(handler)
        let observation = KeyObservation()
        observation.add(
            key.observeStored(in: store, initial: options.contains(.initial)) { [store, weak observation] change in
                guard !change.isQuiet else { return }
                let old = key.decode(change.old, of: store)
                let new = key.decode(change.new, of: store)
                if options.contains(.prior), !change.isInitial {
                    let prior = KeyChange(isPrior: true, oldValue: old, newValue: key.defaultValue)
                    observation?.receive { handler(prior) }
                }
                observation?.receive { handler(KeyChange(oldValue: old, newValue: new)) }
            }
        )
        return observation
    }

    /// Calls a handler after each change of a throwing key, with the value or the error with which reading it failed.
    ///
    /// Apart from that, what is said of keys that do not throw is true here too.
    package func observe<Value>(
        _ key: ThrowingKey<Value>,
        initial: Bool,
        handler: @escaping (Result<Value, ReadError>) -> Void
    ) -> some Observation {
        let handler = UncheckedHandler(handler)
        let key = key.key
        let observation = KeyObservation()
        observation.add(
            key.observeStored(in: store, initial: initial) { [store, weak observation] change in
                guard !change.isQuiet else { return }
                let result = key.decodeResult(change.new, of: store)
                observation?.receive { handler(result) }
            }
        )
        return observation
    }

    /// Calls a handler after each change of any of these keys, until the registration that this returns ends.
    ///
    /// A batch that changes several of the keys is one change. Apart from that, what is said at
    /// ``observe(_:options:handler:)`` is true here too.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - options: When else the handler is called; without an argument also once now.
    ///   - handler: Is called without the values.
    public func observe(
        keys: AnyKey...,
        options: ObservationOptions = [.initial],
        handler: @escaping () -> Void
    ) -> some Observation {
        observe(keys: keys, options: options, handler: handler)
    }

    /// Calls a handler after each change of any of these keys.
    package func observe(
        keys: [AnyKey],
        options: ObservationOptions,
        handler: @escaping () -> Void
    ) -> some Observation {
        Self.observe(in: [(store, keys)], options: options, handler: handler)
    }

    /// Calls a handler after each change of any of these keys in these stores.
    package static func observe(
        in places: [(store: any PropertyListStore, keys: [AnyKey])],
        options: ObservationOptions,
        handler: @escaping () -> Void
    ) -> some Observation {
        let handler = UncheckedHandler(handler)
        let observation = KeyObservation()
        let thread = ThreadIdentity.current
        let isInitial = options.contains(.initial)
        // One queue for the changes of all stores, so that calls of the handler do not overlap.
        let queue = DeliveryQueue<Void>(reservedFor: isInitial ? thread : nil) { [weak observation] in
            observation?.receive { handler(()) }
        }
        for (store, keys) in places {
            observation.add(
                store.observe(.entries(of: keys), initial: false) { change in
                    guard !change.isQuiet else { return }
                    let thread = ThreadIdentity.current
                    if options.contains(.prior) { _ = queue.append((), by: thread) }
                    queue.deliver(through: queue.append((), by: thread), on: thread)
                }
            )
        }
        // After the registrations, so that no change falls between what the handler reads and what it hears.
        if isInitial { queue.deliver(through: queue.append((), by: thread), on: thread) }
        return observation
    }
}
