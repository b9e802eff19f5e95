/// Registered defaults: what readers see while nothing is stored for a key.
extension Defaults {
    /// Registers the defaults of keys, so that those who read their stores without the keys see them too.
    ///
    /// ```swift
    /// extension Defaults.Keys {
    ///     static let launchCount = Key<Int>("launchCount", default: 0)
    ///     static let theme = Key<String>("theme", default: "light")
    /// }
    ///
    /// try Defaults.register(.launchCount, .theme)
    /// ```
    ///
    /// Each is registered in the store that the key names, or else in the standard store. Nothing is saved. `nil` is not
    /// registered. A later registration of the same key replaces this one.
    ///
    /// - Throws: `WriteError` if a default has no stored form or a store has no place for registered defaults; the
    ///   platform's standard store has one. None is registered in that store then.
    public static func register(_ keys: AnyKey...) throws(WriteError) {
        try register(keys)
    }

    /// Registers the defaults of keys, so that those who read their stores without the keys see them too.
    ///
    /// - Throws: `WriteError` if a default has no stored form or a store has no place for registered defaults. None is
    ///   registered in that store then.
    public static func register(_ keys: [AnyKey]) throws(WriteError) {
        for (defaults, keys) in byStore(keys) {
            try defaults.register(keys)
        }
    }

    /// Registers values as defaults, as `UserDefaults.register(defaults:)` does.
    ///
    /// Nothing is saved, all is gone when the program ends, and a later registration of the same key replaces an earlier
    /// one.
    ///
    /// - Parameters:
    ///   - values: The defaults by key.
    ///   - suite: The store; the standard store if `nil`.
    /// - Throws: `StoreError` if the store has no place for registered defaults; the platform's standard store has one.
    public static func register(_ values: PropertyListTable, suite: (any PropertyListStore)? = nil) throws(StoreError) {
        try named(suite).register(values)
    }
}
