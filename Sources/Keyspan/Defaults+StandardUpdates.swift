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
    /// If all keys are in one store there is one tuple for each batch that changed any of them, and all its values are
    /// from one instant. Of keys in several stores a tuple has the values at the time when it is asked for.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - initial: Whether the present values come first.
    @_disfavoredOverload
    public static func updates<each Value>(
        _ keys: repeat Key<each Value>,
        initial: Bool = true
    ) -> AsyncStream<(repeat each Value)> {
        var all: [AnyKey] = []
        for key in repeat each keys {
            all.append(key)
        }
        let stores = Set(all.map { ObjectIdentifier($0.defaults.store) })
        if stores.count == 1, let only = all.first {
            return only.defaults.updates(repeat each keys, initial: initial)
        }
        let changes = ChangeSignal(of: all, initial: initial)
        // The one that is observed: who reads the stream may have another.
        let standard = Defaults.standard
        return AsyncStream {
            guard await changes.next() else { return nil }
            return (repeat ((each keys).suite.map(Defaults.init) ?? standard)[each keys])
        }
    }

    /// An element for each batch that changed any of these keys, without their values.
    ///
    /// - Parameters:
    ///   - keys: The keys, which may be in several stores.
    ///   - initial: Whether one element comes at once.
    public static func updates(_ keys: [AnyKey], initial: Bool = true) -> AsyncStream<Void> {
        let changes = ChangeSignal(of: keys, initial: initial, bufferingPolicy: .unbounded)
        return AsyncStream { await changes.next() ? () : nil }
    }
}
