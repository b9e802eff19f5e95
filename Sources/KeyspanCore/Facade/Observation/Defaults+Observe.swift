extension Defaults {
    /// Calls a handler after each change of a key, until the returned registration ends.
    ///
    /// ```swift
    /// let defaults = Defaults(InMemoryStore())
    /// let volume = Defaults.Key<Int>("volume", default: 5)
    /// let observation = defaults.observe(volume, options: []) { change in
    ///     print("from \(change.oldValue) to \(change.newValue)")
    /// }
    /// ```
    ///
    /// Keep the registration: it ends when it is released. Writing an equal value does not call the handler, and neither do
    /// changes made in ``withoutPropagation(_:)``.
    ///
    /// The handler is called on the thread that writes, before its write returns, in the order of the writes;
    /// <doc:ObservingChanges> says when another thread calls it. Calls never overlap. The handler need not be `Sendable`, so the
    /// compiler does not check what it captures: a handler that uses the state of one thread or actor is correct only if the key
    /// is written there. `updates(_:initial:buffering:)` is checked.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - options: When else the handler is called; by default also once now, with the present value.
    ///   - handler: Receives the values before and after the change.
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
                let old = key.value(of: change.old, in: store)
                let new = key.value(of: change.new, in: store)
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
    /// Otherwise it behaves as for plain keys.
    package func observe<Value>(
        _ key: ThrowingKey<Value>,
        initial: Bool,
        handler: @escaping (Result<Value, ReadError>) -> Void
    ) -> some Observation {
        let handler = UncheckedHandler(handler)
        let observation = KeyObservation()
        observation.add(
            key.observeStored(in: store, initial: initial) { [store, weak observation] change in
                guard !change.isQuiet else { return }
                let result = key.result(of: change.new, in: store)
                observation?.receive { handler(result) }
            }
        )
        return observation
    }

    /// Calls a handler after each change of any of these keys, until the returned registration ends.
    ///
    /// A batch that changes several of the keys is one change. Otherwise it behaves as ``observe(_:options:handler:)``.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - options: When else the handler is called; by default also once now.
    ///   - handler: Called without the values.
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
                store.observe(.entries(of: keys, in: store), initial: false) { change in
                    guard !change.isQuiet else { return }
                    let thread = ThreadIdentity.current
                    if options.contains(.prior) { _ = queue.append((), by: thread) }
                    queue.deliver(through: queue.append((), by: thread), on: thread)
                }
            )
        }
        // After the registrations, so that no change falls between the handler's first read and its first notification.
        if isInitial { queue.deliver(through: queue.append((), by: thread), on: thread) }
        return observation
    }
}

extension Defaults.TypedKey {
    /// Registers an observer for the changes of the key's stored form.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - initial: Whether the observer first receives the present form, with `nil` as the old one.
    ///   - receive: Called for each change of any of the entries.
    /// - Returns: The registration. It ends when it is cancelled or released.
    func observeStored(
        in store: any PropertyListStore,
        initial: Bool,
        _ receive: @escaping @Sendable (StoredChange) -> Void
    ) -> StoreObservation {
        let observedKeys = ObservedKeys.entries(of: [self], in: store)
        guard coding.isDirect else {
            return store.observe(observedKeys, initial: initial) { [name] change in
                let entry = change[name]
                receive(StoredChange(of: change, old: entry?.storedOld, new: entry?.storedNew))
            }
        }
        let observed = Locked(ObservedEntries())
        return store.observe(observedKeys, initial: true) { [self] change in
            let (old, new) = observed.withLock { entries in
                let old = entries
                entries.apply(change)
                return (old, entries)
            }
            if change.isInitial, !initial { return }
            let oldForm = change.isInitial ? nil : old.stored(of: self)
            receive(StoredChange(of: change, old: oldForm, new: new.stored(of: self)))
        }
    }
}

extension ObservedKeys {
    /// The entries whose changes are changes of any of these keys.
    ///
    /// A name that the library itself uses is reported, and nothing of it is observed.
    static func entries(of keys: [Defaults.AnyKey], in store: any PropertyListStore) -> ObservedKeys {
        .named(LibraryEntries.reported(in: Set(keys.flatMap(\.entryNames)), of: store))
    }
}

/// A change of a key's stored form by one batch.
struct StoredChange: Sendable {
    /// The old form; `nil` if there was none, and in the initial call.
    let old: StoredValue?
    /// The new form, or `nil` if there is none.
    let new: StoredValue?
    /// Whether this is the present form at the time of registration.
    let isInitial: Bool
    /// Whether observers of keys are not notified of the change.
    let isQuiet: Bool

    /// Makes the part of a store's change that concerns a key.
    init(of change: PropertyListChange, old: StoredValue?, new: StoredValue?) {
        self.old = old
        self.new = new
        isInitial = change.isInitial
        isQuiet = change.isQuiet
    }
}
