extension Defaults {
    /// Removes the values of these keys, in one batch for each store, so that each has its default again.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - suite: A store to remove all of them from; the store of each key if `nil`.
    public static func reset(_ keys: AnyKey..., suite: (any PropertyListStore)? = nil) {
        reset(keys, suite: suite)
    }

    /// Removes the values of these keys, in one batch for each store, so that each has its default again.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - suite: A store to remove all of them from; the store of each key if `nil`.
    public static func reset(_ keys: [AnyKey], suite: (any PropertyListStore)? = nil) {
        if let suite { return Defaults(suite).reset(keys) }
        for (_, keys) in Dictionary(grouping: keys, by: { ObjectIdentifier($0.defaults.store) }) {
            keys.first?.defaults.reset(keys)
        }
    }

    /// Removes the values of the keys of these names in one batch.
    ///
    /// - Parameters:
    ///   - names: The names.
    ///   - suite: The store; the standard store if `nil`.
    public static func reset(_ names: String..., suite: (any PropertyListStore)? = nil) {
        reset(names, suite: suite)
    }

    /// Removes the values of the keys of these names in one batch.
    ///
    /// - Parameters:
    ///   - names: The names.
    ///   - suite: The store; the standard store if `nil`.
    public static func reset(_ names: [String], suite: (any PropertyListStore)? = nil) {
        named(suite).reset(names)
    }

    /// Removes all values of a store in one batch, also those that no key of yours names.
    ///
    /// - Parameter suite: The store; the standard store if `nil`.
    public static func removeAll(suite: (any PropertyListStore)? = nil) {
        named(suite).removeAll()
    }
}
