@_spi(StoreAuthors) internal import KeyspanCore

/// The state that all copies of one ``Default`` share.
final class DefaultStorage<Value>: Sendable {
    let key: Defaults.Key<Value>
    private let place: StorePlace
    private let options: DefaultOptions
    private let caches = StoreTable<PropertyCache<Value>>()

    init(_ key: Defaults.Key<Value>, suite: (any PropertyListStore)?, options: DefaultOptions) {
        self.key = key
        self.options = options
        place = (suite ?? key.suite).map(StorePlace.init) ?? StandardStore.place
    }

    /// Whether the property keeps a value that is not that of the store; one that follows the store reads it, which is as fast.
    private var keepsValue: Bool { options.contains(.cached) && !options.contains(.observed) }

    /// Typed access to the store of the property.
    var defaults: Defaults { place.tracked.defaults }

    var value: Value {
        get {
            guard keepsValue else { return place.value(of: key) }
            let tracked = place.tracked
            tracked.access(key)
            return cache(of: tracked.store).value(of: key, in: tracked.store)
        }
        set {
            let defaults = defaults
            // Also before the write, whose observers read the property.
            invalidateCache(of: defaults)
            defaults[key] = newValue
            invalidateCache(of: defaults)
        }
        _modify {
            let tracked = place.tracked
            tracked.access(key)
            invalidateCache(of: tracked.defaults)
            defer { invalidateCache(of: tracked.defaults) }
            // A cached value may be older than the stored one, so a change in place begins with the stored one.
            yield &tracked.defaults[key]
        }
    }

    func reset() {
        let defaults = defaults
        invalidateCache(of: defaults)
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
        if place.isStandard {
            StandardStore.whenOpen(register, replacing: key.name)
        } else {
            register(defaults.store)
        }
    }

    func invalidateCache(of defaults: Defaults) {
        if keepsValue { cache(of: defaults.store).invalidate() }
    }

    /// The cached value in a store: a property on the standard store meets a different store in each operation that has one of its own.
    private func cache(of store: any PropertyListStore) -> PropertyCache<Value> {
        caches.value(of: store) { PropertyCache() }
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
}
