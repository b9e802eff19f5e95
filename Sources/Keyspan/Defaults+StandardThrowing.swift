/// Access to keys that throw, and reading as a `Result`, in the store that a key names or else in the standard store.
extension Defaults {
    /// The value of a key that throws, or its default if there is none.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - store: Another store to use this once.
    /// - Throws: `ReadError` if there is a value that cannot be read.
    public static subscript<Value>(
        key: ThrowingKey<Value>,
        in store: (any PropertyListStore)? = nil
    ) -> Value {
        get throws(ReadError) { try key.defaults(in: store)[key] }
    }

    /// The value of a key that throws, or the error with which reading it failed.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - store: Another store to use this once.
    public static subscript<Value>(
        resultOf key: ThrowingKey<Value>,
        in store: (any PropertyListStore)? = nil
    ) -> Result<Value, ReadError> {
        key.defaults(in: store)[resultOf: key]
    }

    /// The value of a key, or the error with which reading it in full failed.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - store: Another store to use this once.
    public static subscript<Value>(
        resultOf key: Key<Value>,
        in store: (any PropertyListStore)? = nil
    ) -> Result<Value, ReadError> {
        key.defaults(in: store)[resultOf: key]
    }

    /// The value of a key, which is recorded now, and only once, if its store has none.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - initial: Makes the value to record.
    ///   - store: Another store to use this once.
    public static subscript<Value>(
        key: Key<Value?>,
        initialisingWith initial: @autoclosure () -> Value,
        in store: (any PropertyListStore)? = nil
    ) -> Value {
        key.defaults(in: store)[key, initialisingWith: initial()]
    }

    /// Writes the value of a key that throws, or throws and leaves the old one.
    ///
    /// - Throws: `WriteError` if the value has no stored form, breaks a rule of the key, or the store refuses it.
    public static func set<Value>(_ value: Value, for key: ThrowingKey<Value>) throws(WriteError) {
        try key.defaults.set(value, for: key)
    }
}
