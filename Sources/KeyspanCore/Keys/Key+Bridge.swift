extension Defaults.Key {
    /// Makes a key whose values are stored by a bridge of its own, which comes before the one of their type.
    ///
    /// This is how a value is stored whose type is not yours, or differs from what its type does elsewhere.
    ///
    /// - Parameters:
    ///   - name: The name under which a store has the value.
    ///   - defaultValue: The value that is read where the store has none.
    ///   - suite: The store that the static members of ``Defaults`` use for this key; the standard store if `nil`.
    ///   - bridge: Stores the value.
    public convenience init<Bridge: Defaults.Bridge & Sendable>(
        _ name: String,
        default defaultValue: Value,
        suite: (any PropertyListStore)? = nil,
        bridge: Bridge
    ) where Bridge.Value == Value {
        self.init(name: name, suite: suite, default: .constant(defaultValue), coding: KeyCoding(bridge))
    }

    /// Makes a key for a value that may be absent and is stored by a bridge of the key's own.
    ///
    /// - Parameters:
    ///   - name: The name under which a store has the value.
    ///   - suite: The store that the static members of ``Defaults`` use for this key; the standard store if `nil`.
    ///   - bridge: Stores the value.
    public convenience init<Bridge: Defaults.Bridge & Sendable>(
        _ name: String,
        suite: (any PropertyListStore)? = nil,
        bridge: Bridge
    ) where Value == Bridge.Value? {
        self.init(name: name, suite: suite, default: .constant(nil), coding: KeyCoding(optional: bridge))
    }
}
