/// The strict reads and writes, in the store that a key names or else in the standard store.
extension Defaults {
    /// The value of a key, or its default if there is none; an error if there is one that cannot be read.
    ///
    /// - Throws: `ReadError`, which tells a value of another kind from one whose content cannot be read.
    public static func value<Value>(for key: Key<Value>) throws(ReadError) -> Value {
        try key.defaults.value(for: key)
    }

    /// The value of a key, or `nil` if there is none; an error if there is one that cannot be read.
    ///
    /// - Throws: `ReadError`, which tells a value of another kind from one whose content cannot be read.
    public static func storedValue<Value>(for key: Key<Value>) throws(ReadError) -> Value? {
        try key.defaults.storedValue(for: key)
    }

    /// Whether readers see a value for the key, readable or not.
    ///
    /// A registered default counts, as it does for `object(forKey:)` of `UserDefaults`.
    public static func hasValue(for key: AnyKey) -> Bool {
        key.defaults.hasValue(for: key)
    }

    /// Writes the value of a key, or throws and leaves the old one.
    ///
    /// - Throws: `WriteError` if the value has no stored form or the store refuses it.
    public static func set<Value>(_ value: Value, for key: Key<Value>) throws(WriteError) {
        try key.defaults.set(value, for: key)
    }

    /// Returns when everything written to the standard store before is as durable as that store promises.
    public static func synchronize() throws(StoreError) {
        try standard.synchronize()
    }
}
