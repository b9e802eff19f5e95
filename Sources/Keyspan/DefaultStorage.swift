@_spi(StoreAuthors) internal import KeyspanCore

/// The state that all copies of one ``Default`` share.
final class DefaultStorage<Value>: Sendable {
    let key: Defaults.Key<Value>
    private let suite: (any PropertyListStore)?
    private let options: DefaultOptions
    private let tracker: StoreTracker?
    private let caches = PropertyCaches<Value>()

    init(_ key: Defaults.Key<Value>, suite: (any PropertyListStore)?, options: DefaultOptions) {
        let suite = suite ?? key.suite
        self.key = key
        self.suite = suite
        self.options = options
        tracker = suite.map(StoreTracker.init)
    }

    /// Typed access to the store of the property.
    var defaults: Defaults { .suite(suite) }

    var value: Value {
        get {
            (tracker ?? StandardStore.scope.tracker).access(key)
            return options.contains(.cached) ? cachedValue(in: defaults) : defaults[key]
        }
        set {
            let defaults = defaults
            defaults[key] = newValue
            invalidateCache(of: defaults)
        }
        _modify {
            (tracker ?? StandardStore.scope.tracker).access(key)
            let defaults = defaults
            defer { invalidateCache(of: defaults) }
            // A cached value may be older than the stored one, so a change in place begins with the stored one.
            yield &defaults[key]
        }
    }

    func reset() {
        let defaults = defaults
        defaults.reset(key)
        invalidateCache(of: defaults)
    }

    /// Registers the default in the store's registration domain, if it has one, as soon as the store is open.
    func registerDefault() {
        let register: @Sendable (any PropertyListStore) -> Void = { [key] store in
            guard store is any RegisteringStore else { return }
            do throws(Defaults.WriteError) {
                try Defaults(store).register(key)
            } catch {
                if case .store(let cause) = error.cause, cause.code == .cannotRegister { return }
                Defaults.Problem.writeFailed(error).report()
            }
        }
        if let suite { register(suite) } else { StandardStore.whenOpen(register, replacing: key.name) }
    }

    private func cachedValue(in defaults: Defaults) -> Value {
        let cache = caches.cache(of: defaults.store)
        if options.contains(.observed) { cache.follow(key, in: defaults.store) }
        return cache.value(of: key, in: defaults.store)
    }

    func invalidateCache(of defaults: Defaults) {
        if options.contains(.cached) { caches.cache(of: defaults.store).invalidate() }
    }
}

/// The cached values of a ``Default``, one for each store: a property on the standard store meets a different store in each
/// operation that has one of its own.
///
/// The caches keep no store alive. The cache of a released store goes when the property meets its next store.
private final class PropertyCaches<Value>: Sendable {
    private struct Entry {
        let identifier: ObjectIdentifier
        weak var store: (any PropertyListStore)?
        let cache: PropertyCache<Value>
    }

    private let entries = Locked<[Entry]>([])

    /// The cache of a store, made the first time.
    func cache(of store: any PropertyListStore) -> PropertyCache<Value> {
        entries.withLock { Self.cache(of: store, in: $0) } ?? add(store)
    }

    private static func cache(of store: any PropertyListStore, in entries: [Entry]) -> PropertyCache<Value>? {
        let identifier = ObjectIdentifier(store)
        // A released store may have had the same address. A store that still exists is retained elsewhere too.
        let index = entries.firstIndex { $0.identifier == identifier && $0.store === store }
        return index.map { entries[$0].cache }
    }

    private func add(_ store: any PropertyListStore) -> PropertyCache<Value> {
        let new = PropertyCache<Value>()
        // Stores and caches are released outside the lock, because their deinitializers can run any code.
        let (cache, _, _) = entries.withLock { entries in
            let stores = entries.map(\.store)
            // Another thread may have been first.
            if let cache = Self.cache(of: store, in: entries) { return (cache, stores, entries) }
            let before = entries
            entries = zip(before, stores).compactMap { entry, store in store == nil ? nil : entry }
            entries.append(Entry(identifier: ObjectIdentifier(store), store: store, cache: new))
            return (new, stores, before)
        }
        return cache
    }
}

/// The cached value of a ``Default`` in one store.
private final class PropertyCache<Value>: Sendable {
    // Unchecked for the reason given at `Key`, which shares one value among all its readers as well.
    private struct State: @unchecked Sendable {
        var value: Value?
        /// The number of changes so far: a value read before a change is not kept after it.
        var changes = 0
    }

    private let state = Locked(State())
    private let observation = Locked<StoreObservation?>(nil)

    /// The cached value, or else the stored one, which is cached from now on.
    func value(of key: Defaults.Key<Value>, in store: any PropertyListStore) -> Value {
        // The whole state leaves the lock, because `Value` alone need not be `Sendable`.
        let before = state.withLock(\.self)
        if let value = before.value { return value }
        let value = Defaults(store)[key]
        let read = State(value: value)
        let kept = state.withLock { state in
            guard state.changes == before.changes else { return read }
            // If two threads race, both return the value of the first one.
            if state.value == nil { state.value = read.value }
            return state
        }
        return kept.value ?? value
    }

    /// Makes the next read ask the store.
    func invalidate() {
        let replaced = state.withLock { state in
            defer { state = State(changes: state.changes + 1) }
            return state
        }
        // Released here, not under the lock: releasing a value can run any deinitializer.
        withExtendedLifetime(replaced) {}
    }

    /// Invalidates the value from now on whenever the store changes it.
    func follow(_ key: Defaults.Key<Value>, in store: any PropertyListStore) {
        guard observation.withLock({ $0 == nil }) else { return }
        let new = store.observe(key.observedKeys, initial: false) { [weak self] _ in self?.invalidate() }
        // If two threads race, one cancels its observer.
        let superfluous = observation.withLock { observation -> StoreObservation? in
            if observation != nil { return new }
            observation = new
            return nil
        }
        superfluous?.cancel()
    }
}
