public import Synchronization

extension Defaults {
    /// The program's standard store: the one chosen with ``bootstrap(_:)``, or else the platform's.
    ///
    /// On Apple's systems the platform's is `UserDefaults.standard`; on Linux it is a `JSONFileStore` with the file `$XDG_CONFIG_HOME/<program>/defaults.json`, or
    /// `~/.config/<program>/defaults.json` without that variable. The first use opens it and reads the file. If it cannot
    /// be opened, that is reported to `onProblem(_:)`, the values live in memory, `synchronize()` throws the reason,
    /// and the file stays as it is; as soon as it can be read, it is, and keys that were written meanwhile keep what was
    /// written. Below the file it has a place for registered defaults, see `register(_:)`.
    ///
    /// At the first use the store is opened while other threads that use it wait. When it is there for all of them, the thread
    /// reports what opening it met, and registers the defaults of properties that were made before, in order. Handlers and defaults
    /// may use the store by then; another thread may read before a default that is being registered.
    @inlinable
    public static var standard: Defaults { Defaults(StandardStore.current) }

    /// Chooses the standard store for this process, once, at its start.
    ///
    /// - Parameter store: The store that the static members of `Defaults` work on.
    /// - Throws: ``BootstrapError`` if it was chosen or used before; the first choice stays.
    public static func bootstrap(_ store: any PropertyListStore) throws(BootstrapError) {
        try StandardStore.choose(store)
    }

    /// The value of a key in the store that it names, or else in the standard store: `Defaults[.launchCount]`.
    ///
    /// Behaves like the subscript of a `Defaults` for that store. Reading does no I/O, but for the very first use of the
    /// standard store, which opens it.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - store: Another store to use this once.
    // The second parameter also keeps this subscript from hiding the one of instances, which is in another module.
    public static subscript<Value>(
        key: Key<Value>,
        in store: (any PropertyListStore)? = nil
    ) -> Value {
        @inlinable
        get {
            // Written out, because `??` and `StandardStore.current` retain the store: an atomic count that all threads
            // share.
            if let store { return Defaults(store)[key] }
            if let suite = key.suite { return Defaults(suite)[key] }
            if StandardStore.isDirect.load(ordering: .relaxed) { return Defaults(StandardStore.ofProcess)[key] }
            return Defaults(StandardStore.ofOperationOrProcess)[key]
        }
        @inlinable
        set {
            Defaults(store ?? key.suite ?? StandardStore.current)[key] = newValue
        }
        @inlinable
        _modify {
            yield &Defaults(store ?? key.suite ?? StandardStore.current)[key]
        }
    }
}

extension Defaults.AnyKey {
    /// Typed access to the store that the key names, or else to the standard store.
    var defaults: Defaults { .named(suite) }

    /// Typed access to a store, or to the one that the key names, or else to the standard store.
    func defaults(in store: (any PropertyListStore)?) -> Defaults { .named(store ?? suite) }

    /// Removes the value of this key, so that it has its default again.
    public func reset() {
        defaults.reset(self)
    }
}

extension Defaults.Key where Value: Equatable {
    /// Whether the key has the value that it would have if its store held none.
    public var isDefaultValue: Bool { defaults.isDefaultValue(self) }
}
