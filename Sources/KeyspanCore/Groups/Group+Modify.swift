extension Defaults.Group {
    /// Changes the value of a key in one step: what another thread or process writes meanwhile is not lost.
    ///
    /// ```swift
    /// struct WindowKeys: KeyGroup {
    ///     let width = Key<Int>("width", default: 800)
    /// }
    ///
    /// let window = Defaults.Group<WindowKeys>(InMemoryStore())
    /// window.modify(\.width) { $0 *= 2 }
    /// ```
    ///
    /// Behaves as ``Defaults/modify(_:_:)-(Defaults.Key<Value>,_)``.
    ///
    /// - Parameters:
    ///   - path: The key.
    ///   - change: Changes the value. It is called again, with the new value, if another writer comes in between; it should
    ///     do nothing else. Nothing is written if it throws.
    /// - Returns: What the closure returned for the value that was written.
    /// - Throws: The closure's error.
    @discardableResult
    public func modify<Value, Result, Failure: Error>(
        _ path: KeyPath<Keys, Defaults.Key<Value>>,
        _ change: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try defaults.modify(key(path), change)
    }

    /// Changes the value of a key that throws in one step: what another thread or process writes meanwhile is not lost.
    ///
    /// Behaves as ``Defaults/modify(_:_:)-(Defaults.ThrowingKey<Value>,_)``.
    ///
    /// - Parameters:
    ///   - path: The key.
    ///   - change: Changes the value. It is called again, with the new value, if another writer comes in between; it should
    ///     do nothing else. Nothing is written if it throws.
    /// - Returns: What the closure returned for the value that was written.
    /// - Throws: The closure's error, ``Defaults/ReadError``, or ``Defaults/WriteError``. Nothing has changed then.
    @discardableResult
    public func modify<Value, Result>(
        _ path: KeyPath<Keys, Defaults.ThrowingKey<Value>>,
        _ change: (inout Value) throws -> Result
    ) throws -> Result {
        try defaults.modify(keys[keyPath: path], change)
    }
}
