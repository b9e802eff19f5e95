// The members of `Defaults`, with a key path in place of the key.

extension Defaults.Group {
    /// The value of a key, or its default if there is none; an error if there is one that cannot be used.
    ///
    /// - Throws: ``Defaults/ReadError``, as ``Defaults/value(for:)``.
    public func value<Value>(
        for path: KeyPath<Keys, some Defaults.TypedKey<Value>>
    ) throws(Defaults.ReadError) -> Value {
        let (key, tracked) = (typedKey(path), place.tracked)
        tracked.access(key)
        return try tracked.defaults.strictValue(for: key)
    }

    /// The value of a key, or `nil` if the store has none; an error if there is one that cannot be used.
    ///
    /// - Throws: ``Defaults/ReadError``, as ``Defaults/storedValue(for:)``.
    public func storedValue<Value>(
        for path: KeyPath<Keys, some Defaults.TypedKey<Value>>
    ) throws(Defaults.ReadError) -> Value? {
        let (key, tracked) = (typedKey(path), place.tracked)
        tracked.access(key)
        return try key.strictValue(in: tracked.store)
    }

    /// Writes the value of a key, or throws and leaves the old one.
    ///
    /// - Throws: ``Defaults/WriteError``, as ``Defaults/set(_:for:)-(_,Defaults.Key<Value>)``.
    public func set<Value>(
        _ value: Value,
        for path: KeyPath<Keys, some Defaults.TypedKey<Value>>
    ) throws(Defaults.WriteError) {
        try typedKey(path).write(value, to: store)
    }

    /// Changes the value of a key in one step, without losing concurrent changes by other threads or processes.
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
    ///   - change: Changes the value. It is called again, with the new value, if another writer comes in between, and should
    ///     have no other effects. Nothing is written if it throws.
    /// - Throws: The closure's error.
    public func modify<Value, Failure: Error>(
        _ path: KeyPath<Keys, Defaults.Key<Value>>,
        _ change: (inout Value) throws(Failure) -> Void
    ) throws(Failure) {
        try defaults.modify(key(path), change)
    }

    /// Changes the value of a throwing key in one step, without losing concurrent changes by other threads or processes.
    ///
    /// Behaves as ``Defaults/modify(_:_:)-(Defaults.ThrowingKey<Value>,_)``.
    ///
    /// - Parameters:
    ///   - path: The key.
    ///   - change: Changes the value. It is called again, with the new value, if another writer comes in between, and should
    ///     have no other effects. Nothing is written if it throws.
    /// - Returns: The closure's result for the value that was written.
    /// - Throws: The closure's error, ``Defaults/ReadError``, or ``Defaults/WriteError``. Nothing has changed then.
    @discardableResult
    public func modify<Value, Result>(
        _ path: KeyPath<Keys, Defaults.ThrowingKey<Value>>,
        _ change: (inout Value) throws -> Result
    ) throws -> Result {
        try commit(path, change)
    }

    /// Changes the value of a key in one step, or throws and changes nothing; as ``Defaults/commit(_:_:)``.
    ///
    /// - Parameters:
    ///   - path: The key.
    ///   - change: Changes the value. It is called again, with the new value, if another writer comes in between, and should
    ///     have no other effects. Nothing is written if it throws.
    /// - Returns: The closure's result for the value that was written.
    /// - Throws: The closure's error, ``Defaults/ReadError``, or ``Defaults/WriteError``. Nothing has changed then.
    @discardableResult
    public func commit<Value, Result>(
        _ path: KeyPath<Keys, some Defaults.TypedKey<Value>>,
        _ change: (inout Value) throws -> Result
    ) throws -> Result {
        try defaults.commit(typedKey(path), change)
    }

    /// Changes the value of a key in one step, and returns when the change is durable, without blocking a thread; as
    /// ``Defaults/commit(isolation:_:_:)``.
    ///
    /// - Parameters:
    ///   - isolation: The actor on which the closure is called: the caller's.
    ///   - path: The key.
    ///   - change: Changes the value. It is called again, with the new value, if another writer comes in between, and should
    ///     have no other effects. Nothing is written if it throws.
    /// - Returns: The closure's result for the value that was written.
    /// - Throws: The closure's error, ``Defaults/ReadError``, or ``Defaults/WriteError``.
    @discardableResult
    public func commit<Value, Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ path: KeyPath<Keys, some Defaults.TypedKey<Value>>,
        _ change: (inout Value) throws -> Result
    ) async throws -> Result {
        try await defaults.commit(isolation: isolation, typedKey(path), change)
    }

    /// Whether the store has a value for a key, readable or not.
    public func hasValue(for path: KeyPath<Keys, some Defaults.AnyKey>) -> Bool {
        let (key, tracked) = (anyKey(path), place.tracked)
        tracked.access(key)
        return tracked.defaults.hasValue(for: key)
    }

    /// The source of a key's value; as ``Defaults/provenance(of:)``.
    public func provenance(of path: KeyPath<Keys, some Defaults.AnyKey>) -> Provenance? {
        defaults.provenance(of: anyKey(path))
    }

    /// Removes the value of a key, so that the key has its default again; as ``Defaults/reset(_:)-(Defaults.AnyKey...)``.
    public func reset(_ path: KeyPath<Keys, some Defaults.AnyKey>) {
        defaults.reset(anyKey(path))
    }

    /// Removes the values of all keys of the group in one batch, and no others.
    ///
    /// These are the keys of ``allKeys``. A value that its key cannot use is kept, see ``Defaults/keptValues()``. If the store
    /// refuses, that is reported to ``Defaults/onProblem(_:)``, and the values stay.
    public func resetAll() {
        defaults.reset(allKeys)
    }

    /// Checks that every stored value of the group can be read in full and satisfies the rules of its key.
    ///
    /// These are the keys of ``allKeys``. Absent values are valid.
    ///
    /// - Throws: ``Defaults/ValidationError`` with all problems, as ``Defaults/validate(_:)``.
    public func validate() throws(Defaults.ValidationError) {
        try defaults.validate(allKeys)
    }

    /// Returns when everything written before to the store is durable; see ``PropertyListStore/synchronize()``.
    ///
    /// May block the thread on the disk or the network.
    public func synchronize() throws(StoreError) {
        try store.synchronize()
    }

    /// Returns when everything written before to the store is durable, without blocking a thread.
    public func synchronize() async throws(StoreError) {
        try await store.synchronize()
    }
}

// MARK: - Observing

extension Defaults.Group {
    /// Calls a handler with the values before and after each change of a key; as ``Defaults/observe(_:options:handler:)``.
    ///
    /// - Parameters:
    ///   - path: The key.
    ///   - options: When else the handler is called; by default also once now, with the present value.
    ///   - handler: Receives the values before and after the change.
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
        defaults.observe(keys[keyPath: path].prefixed(by: prefix), initial: initial, handler: handler)
    }

    /// The values of a key from now on, one for each change; as ``Defaults/updates(_:initial:buffering:)->AsyncStream<Value>``.
    ///
    /// - Parameters:
    ///   - path: The key.
    ///   - initial: Whether the present value comes first.
    ///   - buffering: Which elements wait for a slow reader: by default all of them.
    public func updates<Value>(
        _ path: KeyPath<Keys, Defaults.Key<Value>>,
        initial: Bool = true,
        buffering: Defaults.UpdateBuffering = .every
    ) -> AsyncStream<Value> {
        defaults.updates(key(path), initial: initial, buffering: buffering)
    }

    /// The values of several keys from now on, one tuple for each batch that changed any of them.
    ///
    /// - Parameters:
    ///   - paths: The keys.
    ///   - initial: Whether the present values come first.
    ///   - buffering: Which elements wait for a slow reader: by default all of them.
    @_disfavoredOverload
    public func updates<each Value>(
        _ paths: repeat KeyPath<Keys, Defaults.Key<each Value>>,
        initial: Bool = true,
        buffering: Defaults.UpdateBuffering = .every
    ) -> AsyncStream<(repeat each Value)> {
        let store = store
        return Defaults.updates(
            of: repeat KeyInStore(key(each paths), in: store),
            initial: initial,
            buffering: buffering
        )
    }

    /// An element for each batch that changed any key of the group, without the values.
    ///
    /// ``changes(buffering:)`` has the values before and after each of them.
    ///
    /// - Parameters:
    ///   - initial: Whether one element comes at once.
    ///   - buffering: Which elements wait for a slow reader: by default all of them.
    public func updates(
        initial: Bool = true,
        buffering: Defaults.UpdateBuffering = .every
    ) -> AsyncStream<Void> {
        defaults.updates(allKeys, initial: initial, buffering: buffering)
    }
}
