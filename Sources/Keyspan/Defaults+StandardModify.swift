/// Changes of one value that depend on what it was, in the store that a key names or else in the standard store.
extension Defaults {
    /// Changes the value of a key in one step: what another thread or process writes meanwhile is not lost.
    ///
    /// ```swift
    /// extension Defaults.Keys {
    ///     static let launchCount = Key<Int>("launchCount", default: 0)
    /// }
    ///
    /// let number = Defaults.modify(.launchCount) { count in
    ///     count += 1
    ///     return count
    /// }
    /// ```
    ///
    /// Behaves like the method of instances: a value that cannot be written, or a store that refuses, is reported to
    /// `onProblem(_:)`, the old value stays, and the result of the closure is given all the same. `commit(_:)` throws instead.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - store: Another store to use this once.
    ///   - change: Changes the value. It is called again, with the new value, if another writer comes in between; it should
    ///     do nothing else. Nothing is written if it throws.
    /// - Returns: What the closure returned for the value that was written.
    /// - Throws: The closure's error.
    @discardableResult
    public static func modify<Value, Result, Failure: Error>(
        _ key: Key<Value>,
        in store: (any PropertyListStore)? = nil,
        _ change: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try key.defaults(in: store).modify(key, change)
    }

    /// Changes the value of a key that throws in one step: what another thread or process writes meanwhile is not lost.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - store: Another store to use this once.
    ///   - change: Changes the value. It is called again, with the new value, if another writer comes in between; it should
    ///     do nothing else. Nothing is written if it throws.
    /// - Returns: What the closure returned for the value that was written.
    /// - Throws: The closure's error, `ReadError`, or `WriteError`. Nothing has changed then.
    @discardableResult
    public static func modify<Value, Result>(
        _ key: ThrowingKey<Value>,
        in store: (any PropertyListStore)? = nil,
        _ change: (inout Value) throws -> Result
    ) throws -> Result {
        try key.defaults(in: store).modify(key, change)
    }
}
