/// The reads and writes that throw.
extension Defaults.Group {
    /// The value of a key that throws, or its default if there is none.
    ///
    /// To write, call ``set(_:for:)-(_,KeyPath<Keys,Defaults.ThrowingKey<Value>>)``.
    ///
    /// - Throws: ``Defaults/ReadError`` if there is a value that cannot be read.
    public subscript<Value>(dynamicMember path: KeyPath<Keys, Defaults.ThrowingKey<Value>>) -> Value {
        get throws(Defaults.ReadError) { try self[path] }
    }

    /// The value of a key that throws, or its default if there is none.
    ///
    /// - Throws: ``Defaults/ReadError`` if there is a value that cannot be read.
    public subscript<Value>(path: KeyPath<Keys, Defaults.ThrowingKey<Value>>) -> Value {
        get throws(Defaults.ReadError) {
            let key = key(path)
            tracker.access(key)
            return try defaults.value(for: key)
        }
    }

    /// The value of a key, or its default if there is none; an error if there is one that cannot be read.
    ///
    /// - Throws: ``Defaults/ReadError``, as ``Defaults/value(for:)``.
    public func value<Value>(for path: KeyPath<Keys, Defaults.Key<Value>>) throws(Defaults.ReadError) -> Value {
        let key = key(path)
        tracker.access(key)
        return try defaults.value(for: key)
    }

    /// The value of a key, or `nil` if the store has none; an error if there is one that cannot be read.
    ///
    /// - Throws: ``Defaults/ReadError``, as ``Defaults/storedValue(for:)``.
    public func storedValue<Value>(
        for path: KeyPath<Keys, Defaults.Key<Value>>
    ) throws(Defaults.ReadError) -> Value? {
        let key = key(path)
        tracker.access(key)
        return try defaults.storedValue(for: key)
    }

    /// Writes the value of a key, or throws and leaves the old one.
    ///
    /// - Throws: ``Defaults/WriteError``, as ``Defaults/set(_:for:)-(_,Defaults.Key<Value>)``.
    public func set<Value>(
        _ value: Value,
        for path: KeyPath<Keys, Defaults.Key<Value>>
    ) throws(Defaults.WriteError) {
        try defaults.set(value, for: key(path))
    }

    /// Writes the value of a key that throws, or throws and leaves the old one.
    ///
    /// - Throws: ``Defaults/WriteError``, as ``Defaults/set(_:for:)-(_,Defaults.ThrowingKey<Value>)``.
    public func set<Value>(
        _ value: Value,
        for path: KeyPath<Keys, Defaults.ThrowingKey<Value>>
    ) throws(Defaults.WriteError) {
        try defaults.set(value, for: key(path))
    }

    /// The key that does the work of one that throws, under its full name.
    func key<Value>(_ path: KeyPath<Keys, Defaults.ThrowingKey<Value>>) -> Defaults.Key<Value> {
        keys[keyPath: path].key.prefixed(by: prefix)
    }
}
