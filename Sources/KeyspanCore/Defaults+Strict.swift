extension Defaults {
    /// The value of a key, or its default if there is none; an error if there is one that cannot be read.
    ///
    /// Collections are read whole: one element that cannot be read is an error, where the subscript would leave it out.
    ///
    /// - Throws: ``ReadError``, which tells a value of another kind from one whose content cannot be read.
    public func value<Value>(for key: Key<Value>) throws(ReadError) -> Value {
        try storedValue(for: key) ?? key.defaultValue
    }

    /// The value of a key, or `nil` if the store has none; an error if there is one that cannot be read.
    ///
    /// - Throws: ``ReadError``, which tells a value of another kind from one whose content cannot be read.
    public func storedValue<Value>(for key: Key<Value>) throws(ReadError) -> Value? {
        try key.readStrictly(from: store)
    }

    /// Whether readers of the store see a value for the key, readable or not.
    ///
    /// A registered default and a launch argument count, as they do for `object(forKey:)` of `UserDefaults`.
    public func hasValue(for key: AnyKey) -> Bool {
        key.untyped.entryNames.contains { store.value(forKey: $0) != nil }
    }

    /// Writes the value of a key, or throws and leaves the old one.
    ///
    /// - Parameters:
    ///   - value: The new value; `nil`, where the key has an optional value, removes the key.
    ///   - key: The key.
    /// - Throws: ``WriteError`` if the value has no stored form, breaks a rule of the key, or the store refuses it.
    @inlinable
    public func set<Value>(_ value: Value, for key: Key<Value>) throws(WriteError) {
        try key.write(value, to: store)
    }

    /// Returns when everything written before is as durable as the store promises; see ``PropertyListStore/synchronize()``.
    public func synchronize() throws(StoreError) {
        try store.synchronize()
    }
}
