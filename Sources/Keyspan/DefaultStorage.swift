internal import KeyspanCore

/// What the copies of one ``Default`` share.
final class DefaultStorage<Value>: Sendable {
    /// The value that is kept between reads, if the property keeps one.
    // Unchecked for the reason given at `Key`, which hands one value to all its readers as well.
    private struct Kept: @unchecked Sendable {
        var value: Value?
        /// How many changes were heard: a value that was read before one of them is not kept after it.
        var changes = 0
    }

    let key: Defaults.Key<Value>
    private let store: (any PropertyListStore)?
    private let options: DefaultOptions
    private let tracker: StoreTracker?
    private let kept = Locked(Kept())
    private let observation = Locked<StoreObservation?>(nil)

    init(_ key: Defaults.Key<Value>, in store: (any PropertyListStore)?, options: DefaultOptions) {
        let store = store ?? key.suite
        self.key = key
        self.store = store
        self.options = options
        tracker = store.map(StoreTracker.init)
    }

    /// Typed access to the store of the property.
    var defaults: Defaults { .named(store) }

    var value: Value {
        get {
            (tracker ?? StandardStore.scope.tracker).access(key)
            return options.contains(.cached) ? keptValue : defaults[key]
        }
        set {
            defaults[key] = newValue
            forget()
        }
        _modify {
            (tracker ?? StandardStore.scope.tracker).access(key)
            let defaults = defaults
            defer { forget() }
            if options.contains(.cached) {
                // What is kept is older than the store, on purpose, and so says nothing of what the change replaces.
                var value = keptValue
                defer { defaults[key] = value }
                yield &value
            } else {
                yield &defaults[key]
            }
        }
    }

    func modify<Result, Failure: Error>(
        _ change: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { forget() }
        return try defaults.modify(key, change)
    }

    func reset() {
        defaults.reset(key)
        forget()
    }

    /// Puts the default into the registration domain of the store, if it has one, as soon as the store is open.
    func registerDefault() {
        let register: @Sendable (any PropertyListStore) -> Void = { [key] store in
            guard store is any RegisteringStore else { return }
            do throws(Defaults.WriteError) {
                try Defaults(store).register(key)
            } catch {
                Defaults.Problem.writeFailed(error).report()
            }
        }
        if let store { register(store) } else { StandardStore.whenOpen(register) }
    }

    private var keptValue: Value {
        if options.contains(.observed) { observeOnce() }
        let (value, changes) = kept.withLock { ($0.value.map(Shared.init), $0.changes) }
        if let value { return value.value }
        let read = Shared(value: defaults[key])
        kept.withLock { kept in
            if kept.changes == changes { kept.value = read.value }
        }
        return read.value
    }

    private func forget() {
        let replaced = kept.withLock { kept in
            defer { kept = Kept(changes: kept.changes + 1) }
            return kept
        }
        // Released here, not under the lock: releasing a value can run anyone's `deinit`.
        withExtendedLifetime(replaced) {}
    }

    private func observeOnce() {
        guard observation.withLock({ $0 == nil }) else { return }
        let new = defaults.store.observe(key.observedKeys, initial: false) { [weak self] _ in self?.forget() }
        // Of two threads that come here at once one lets go of its observer.
        let superfluous = observation.withLock { observation -> StoreObservation? in
            if observation != nil { return new }
            observation = new
            return nil
        }
        superfluous?.cancel()
    }

    /// A value on its way out of the lock.
    // Unchecked for the same reason.
    private struct Shared: @unchecked Sendable {
        let value: Value
    }
}
