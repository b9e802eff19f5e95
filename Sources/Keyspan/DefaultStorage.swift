internal import KeyspanCore

/// What the copies of one ``Default`` share.
final class DefaultStorage<Value>: Sendable {
    let key: Defaults.Key<Value>
    private let store: (any PropertyListStore)?
    private let options: DefaultOptions
    private let tracker: StoreTracker?
    private let caches = PropertyCaches<Value>()

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
            return options.contains(.cached) ? keptValue(in: defaults) : defaults[key]
        }
        set {
            let defaults = defaults
            defaults[key] = newValue
            forget(in: defaults)
        }
        _modify {
            (tracker ?? StandardStore.scope.tracker).access(key)
            let defaults = defaults
            defer { forget(in: defaults) }
            if options.contains(.cached) {
                // What is kept is older than the store, on purpose, and so says nothing of what the change replaces.
                var value = keptValue(in: defaults)
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
        let defaults = defaults
        defer { forget(in: defaults) }
        return try defaults.modify(key, change)
    }

    func reset() {
        let defaults = defaults
        defaults.reset(key)
        forget(in: defaults)
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

    private func keptValue(in defaults: Defaults) -> Value {
        let cache = caches.cache(of: defaults.store)
        if options.contains(.observed) { cache.follow(key, in: defaults.store) }
        return cache.value(of: key, in: defaults.store)
    }

    private func forget(in defaults: Defaults) {
        if options.contains(.cached) { caches.cache(of: defaults.store).forget() }
    }
}
