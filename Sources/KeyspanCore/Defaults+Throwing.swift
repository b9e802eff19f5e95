/// Access to keys that throw, and reading as a `Result`.
extension Defaults {
    /// The value of a key that throws, or its default if there is none.
    ///
    /// To write, call `set(_:for:)`: Swift has no setters that throw beside getters that do.
    ///
    /// - Throws: ``ReadError`` if there is a value that cannot be read.
    public subscript<Value>(key: ThrowingKey<Value>) -> Value {
        get throws(ReadError) { try value(for: key.key) }
    }

    /// The value of a key that throws, or the error with which reading it failed.
    public subscript<Value>(resultOf key: ThrowingKey<Value>) -> Result<Value, ReadError> {
        self[resultOf: key.key]
    }

    /// The value of a key, or the error with which reading it in full failed.
    public subscript<Value>(resultOf key: Key<Value>) -> Result<Value, ReadError> {
        do {
            return .success(try value(for: key))
        } catch {
            return .failure(error)
        }
    }

    /// Writes the value of a key that throws, or throws and leaves the old one.
    ///
    /// - Throws: ``WriteError`` if the value has no stored form, breaks a rule of the key, or the store refuses it.
    public func set<Value>(_ value: Value, for key: ThrowingKey<Value>) throws(WriteError) {
        try set(value, for: key.key)
    }
}
