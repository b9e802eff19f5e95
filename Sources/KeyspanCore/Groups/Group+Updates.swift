extension Defaults.Group {
    /// The values that a key has from now on, one for each change of it; as ``Defaults/updates(_:initial:)->AsyncStream<Value>``.
    ///
    /// - Parameters:
    ///   - path: The key.
    ///   - initial: Whether the present value comes first.
    public func updates<Value>(
        _ path: KeyPath<Keys, Defaults.Key<Value>>,
        initial: Bool = true
    ) -> AsyncStream<Value> {
        defaults.updates(key(path), initial: initial)
    }

    /// An element for each batch that changed any key of the group, without the values.
    ///
    /// - Parameter initial: Whether one element comes at once.
    public func updates(initial: Bool = true) -> AsyncStream<Void> {
        defaults.updates(allKeys, initial: initial)
    }
}
