/// The observers with a handler, in the store that each key names or else in the standard store.
extension Defaults {
    /// Calls a handler after each change of a key, until the registration that this returns ends.
    ///
    /// Keep the registration: it ends when it is released. Calls never overlap and come in the order of the writes, most
    /// often on the thread that writes; the article *Observing changes* of `KeyspanCore` says when another thread makes them.
    /// The handler need not be `Sendable`, so the compiler does not check what it captures; `updates(_:initial:)` is checked.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - options: When else the handler is called; without an argument also once now, with the present value.
    ///   - handler: Is called with the values before and after.
    public static func observe<Value>(
        _ key: Key<Value>,
        options: ObservationOptions = [.initial],
        handler: @escaping (KeyChange<Value>) -> Void
    ) -> some Observation {
        key.defaults.observe(key, options: options, handler: handler)
    }

    /// Calls a handler after each change of any of these keys, until the registration that this returns ends.
    ///
    /// A batch that changes several of the keys in one store is one change. Calls never overlap, also if the keys are in
    /// several stores.
    ///
    /// - Parameters:
    ///   - keys: The keys, which may be in several stores.
    ///   - options: When else the handler is called; without an argument also once now.
    ///   - handler: Is called without the values.
    public static func observe(
        keys: AnyKey...,
        options: ObservationOptions = [.initial],
        handler: @escaping () -> Void
    ) -> some Observation {
        observe(keys: keys, options: options, handler: handler)
    }

    /// Calls a handler after each change of any of these keys, which may be in several stores.
    package static func observe(
        keys: [AnyKey],
        options: ObservationOptions,
        handler: @escaping () -> Void
    ) -> some Observation {
        let places = Dictionary(grouping: keys) { ObjectIdentifier($0.defaults.store) }.values.compactMap { keys in
            keys.first.map { (store: $0.defaults.store, keys: keys) }
        }
        return observe(in: places, options: options, handler: handler)
    }

    /// Calls a handler after each change of a throwing key, with the value or the error with which reading it failed.
    package static func observe<Value>(
        _ key: ThrowingKey<Value>,
        initial: Bool,
        handler: @escaping (Result<Value, ReadError>) -> Void
    ) -> some Observation {
        key.defaults.observe(key, initial: initial, handler: handler)
    }
}
