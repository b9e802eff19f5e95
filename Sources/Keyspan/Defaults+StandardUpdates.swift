/// The streams of values, from the store that each key names or else from the standard store.
extension Defaults {
    /// The values that a key has from now on, one for each change of it, in order.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - initial: Whether the present value comes first.
    public static func updates<Value>(_ key: Key<Value>, initial: Bool = true) -> AsyncStream<Value> {
        key.defaults.updates(key, initial: initial)
    }

    /// The values that a throwing key has from now on, one for each change of it, or the error with which reading it failed.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - initial: Whether the present value comes first.
    public static func updates<Value>(
        _ key: ThrowingKey<Value>,
        initial: Bool = true
    ) -> AsyncStream<Result<Value, ReadError>> {
        key.defaults.updates(key, initial: initial)
    }

    /// The values that several keys have from now on, together.
    ///
    /// There is one tuple for each batch that changed any of them, none is left out, and the last one is what is in the
    /// stores. The values of one store are from one instant, that of the change. Between stores, the order of the changes is
    /// that in which they are delivered.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - initial: Whether the present values come first.
    @_disfavoredOverload
    public static func updates<each Value>(
        _ keys: repeat Key<each Value>,
        initial: Bool = true
    ) -> AsyncStream<(repeat each Value)> {
        updates(of: repeat KeyInStore(each keys, in: (each keys).defaults.store), initial: initial)
    }

    /// An element for each batch that changed any of these keys, without their values.
    ///
    /// - Parameters:
    ///   - keys: The keys, which may be in several stores.
    ///   - initial: Whether one element comes at once.
    public static func updates(_ keys: [AnyKey], initial: Bool = true) -> AsyncStream<Void> {
        let changes = ChangeSignal(of: keys, initial: initial)
        return AsyncStream { await changes.next() ? () : nil }
    }
}
