extension Defaults.Key {
    /// Makes a key with a default, of a name that has a type of its own.
    ///
    /// - Parameters:
    ///   - name: The name under which a store has the value.
    ///   - defaultValue: The value that is read where the store has none.
    ///   - suite: The store that the static members of ``Defaults`` use for this key; the standard store if `nil`.
    @_disfavoredOverload
    public convenience init(
        _ name: Defaults.KeyName,
        default defaultValue: Value,
        suite: (any PropertyListStore)? = nil
    ) where Value: Defaults.Serializable {
        self.init(name.name, default: defaultValue, suite: suite)
    }

    /// Makes a key for a value that may be absent, of a name that has a type of its own.
    ///
    /// - Parameters:
    ///   - name: The name under which a store has the value.
    ///   - suite: The store that the static members of ``Defaults`` use for this key; the standard store if `nil`.
    @_disfavoredOverload
    public convenience init<Wrapped>(_ name: Defaults.KeyName, suite: (any PropertyListStore)? = nil)
    where Value == Wrapped?, Wrapped: Defaults.Serializable {
        self.init(name.name, suite: suite)
    }
}
