extension Defaults.Group {
    /// Calls a handler with the values before and after each change of a key; as ``Defaults/observe(_:options:handler:)``.
    ///
    /// - Parameters:
    ///   - path: The key.
    ///   - options: When else the handler is called; without an argument also once now, with the present value.
    ///   - handler: Is called with the values before and after.
    /// - Returns: The registration; it ends when it is released.
    public func observe<Value>(
        _ path: KeyPath<Keys, Defaults.Key<Value>>,
        options: Defaults.ObservationOptions = [.initial],
        handler: @escaping (Defaults.KeyChange<Value>) -> Void
    ) -> some Defaults.Observation {
        defaults.observe(key(path), options: options, handler: handler)
    }

    /// Calls a handler after each change of any key of the group.
    package func observe(
        options: Defaults.ObservationOptions,
        handler: @escaping () -> Void
    ) -> some Defaults.Observation {
        defaults.observe(keys: allKeys, options: options, handler: handler)
    }

    /// Calls a handler after each change of a throwing key.
    package func observe<Value>(
        _ path: KeyPath<Keys, Defaults.ThrowingKey<Value>>,
        initial: Bool,
        handler: @escaping (Result<Value, Defaults.ReadError>) -> Void
    ) -> some Defaults.Observation {
        defaults.observe(key(path).throwing(), initial: initial, handler: handler)
    }
}
