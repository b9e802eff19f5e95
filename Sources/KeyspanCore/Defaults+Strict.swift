extension Defaults {
    /// The value of a key, or its default if there is none; an error if there is one that cannot be read.
    ///
    /// Collections are read whole: one element that cannot be read is an error, where the subscript would leave it out.
    ///
    /// - Throws: ``ReadError``, which tells a value of another kind from one whose content cannot be read.
    public func value<Value: Serializable>(for key: Key<Value>) throws(ReadError) -> Value {
        try storedValue(for: key) ?? key.defaultValue
    }

    /// The value of a key, or `nil` if the store has none; an error if there is one that cannot be read.
    ///
    /// - Throws: ``ReadError``, which tells a value of another kind from one whose content cannot be read.
    public func storedValue<Value: Serializable>(for key: Key<Value>) throws(ReadError) -> Value? {
        guard let stored = store.value(forKey: key.name) else { return nil }
        var context = DecodingContext(isStrict: true)
        do {
            return try Value.decode(stored, in: &context)
        } catch {
            throw ReadError(key: key.name, store: store.name, cause: error)
        }
    }

    /// Whether the store has a value for the key, readable or not.
    public func hasValue(for key: AnyKey) -> Bool {
        store.value(forKey: key.name) != nil
    }

    /// Writes the value of a key, or throws and leaves the old one.
    ///
    /// - Parameters:
    ///   - value: The new value; `nil`, where the key has an optional value, removes the key.
    ///   - key: The key.
    /// - Throws: ``WriteError`` if the value has no stored form or the store refuses it.
    @inlinable
    public func set<Value: Serializable>(_ value: Value, for key: Key<Value>) throws(WriteError) {
        let encoded: PropertyListValue?
        do {
            encoded = try Value.encode(value)
        } catch {
            throw WriteError(key: key.name, store: store.name, cause: .encoding(error))
        }
        try write(encoded, for: key)
    }

    @usableFromInline
    func write(_ encoded: PropertyListValue?, for key: AnyKey) throws(WriteError) {
        let operation: PropertyListBatch.Operation =
            encoded.map { .set($0, key: key.name) } ?? .remove(key: key.name)
        do {
            try store.apply(PropertyListBatch(operation))
        } catch {
            throw WriteError(key: key.name, store: store.name, cause: .store(error))
        }
    }

    /// Returns when everything written before is as durable as the store promises; see ``PropertyListStore/synchronize()``.
    public func synchronize() throws(StoreError) {
        try store.synchronize()
    }
}
