public import KeyspanCore

/// What a ``Default`` property offers beside its value; `$name` of the property.
public struct DefaultProjection<Value>: Sendable {
    let storage: DefaultStorage<Value>

    /// The key of the property.
    public var key: Defaults.Key<Value> { storage.key }

    /// Whether the store has a value.
    public var hasValue: Bool { storage.defaults.hasValue(for: key) }

    /// Changes the value in one step: what another thread or process writes meanwhile is not lost.
    ///
    /// `$launchCount.modify { $0 += 1 }` behaves as `Defaults.modify(_:in:_:)` does: it changes the value that the store has, also
    /// if the property keeps another one.
    ///
    /// - Parameter change: Changes the value. It is called again, with the new value, if another writer comes in between; it
    ///   should do nothing else. Nothing is written if it throws.
    /// - Returns: What the closure returned for the value that was written.
    /// - Throws: The closure's error.
    @discardableResult
    public func modify<Result, Failure: Error>(
        _ change: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.modify(change)
    }

    /// Removes the value, so that the property has its default again.
    public func reset() {
        storage.reset()
    }

    /// The values that the property has from now on, one for each change, in order.
    ///
    /// - Parameter initial: Whether the present value comes first.
    public func updates(initial: Bool = true) -> AsyncStream<Value> {
        storage.defaults.updates(key, initial: initial)
    }

    /// Calls a handler for each change of the value, with the old and the new one.
    ///
    /// - Parameters:
    ///   - options: Whether the handler is called at once, and also before each change.
    ///   - handler: Called on the thread that delivers the change, without a lock.
    /// - Returns: The observation, which ends when it is invalidated or released.
    public func observe(
        options: Defaults.ObservationOptions = [.initial],
        handler: @escaping (Defaults.KeyChange<Value>) -> Void
    ) -> some Defaults.Observation {
        storage.defaults.observe(key, options: options, handler: handler)
    }
}
