#if canImport(Combine)
public import Combine
public import Keyspan
public import KeyspanCore

extension Defaults {
    /// Publishes the changes of a key, each with the values before and after.
    ///
    /// ```swift
    /// let cancellable = defaults.publisher(.volume)
    ///     .map(\.newValue)
    ///     .sink { print("The volume is \($0)") }
    /// ```
    ///
    /// Each subscriber observes the key from its subscription until it cancels. It receives the same changes as a handler of
    /// `observe(_:options:handler:)`, in the same order and on the same threads, which the article *Observing changes* of
    /// `KeyspanCore` describes: for a user interface, add `receive(on:)`. Changes without demand wait in memory, and none is
    /// left out. The publisher never completes and never fails.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - options: What else is published; by default also the present value, at the subscription.
    public func publisher<Value>(
        _ key: Key<Value>,
        options: ObservationOptions = [.initial]
    ) -> AnyPublisher<KeyChange<Value>, Never> {
        ObservationPublisher { [self] in observe(key, options: options, handler: $0) }.eraseToAnyPublisher()
    }

    /// Publishes the value of a throwing key after each change, or the error with which reading it failed.
    ///
    /// Otherwise it behaves as for keys that do not throw.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - initial: Whether the present value is published at the subscription.
    public func publisher<Value>(
        _ key: ThrowingKey<Value>,
        initial: Bool = true
    ) -> AnyPublisher<Result<Value, ReadError>, Never> {
        ObservationPublisher { [self] in observe(key, initial: initial, handler: $0) }.eraseToAnyPublisher()
    }

    /// Publishes an element for each batch that changed any of these keys, without the values.
    ///
    /// Otherwise it behaves as for one key.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - options: What else is published; by default also one element at the subscription.
    public func publisher(
        keys: [AnyKey],
        options: ObservationOptions = [.initial]
    ) -> AnyPublisher<Void, Never> {
        ObservationPublisher { [self] handler in
            observe(keys: keys, options: options) { handler(()) }
        }.eraseToAnyPublisher()
    }

    /// Publishes an element for each batch that changed any of these keys, without the values.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - options: What else is published; by default also one element at the subscription.
    public func publisher(
        keys: AnyKey...,
        options: ObservationOptions = [.initial]
    ) -> AnyPublisher<Void, Never> {
        publisher(keys: keys, options: options)
    }
}

// MARK: - The static members that Defaults 9 has

extension Defaults {
    /// Publishes the changes of a key in its suite, or in the standard store if it has none.
    ///
    /// ```swift
    /// let standardCancellable = Defaults.publisher(.volume)
    ///     .map(\.newValue)
    ///     .sink { print("The volume is \($0)") }
    /// ```
    ///
    /// Behaves like `publisher(_:options:)` of a `Defaults` value for that store.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - options: What else is published; by default also the present value, at the subscription.
    public static func publisher<Value>(
        _ key: Key<Value>,
        options: ObservationOptions = [.initial]
    ) -> AnyPublisher<KeyChange<Value>, Never> {
        ObservationPublisher { observe(key, options: options, handler: $0) }.eraseToAnyPublisher()
    }

    /// Publishes an element for each batch that changed any of these keys, without the values.
    ///
    /// - Parameters:
    ///   - keys: The keys, which may be in several stores.
    ///   - options: What else is published; by default also one element at the subscription.
    public static func publisher(
        keys: [AnyKey],
        options: ObservationOptions = [.initial]
    ) -> AnyPublisher<Void, Never> {
        ObservationPublisher { handler in
            observe(keys: keys, options: options) { handler(()) }
        }.eraseToAnyPublisher()
    }

    /// Publishes an element for each batch that changed any of these keys, without the values.
    ///
    /// - Parameters:
    ///   - keys: The keys, which may be in several stores.
    ///   - options: What else is published; by default also one element at the subscription.
    public static func publisher(
        keys: AnyKey...,
        options: ObservationOptions = [.initial]
    ) -> AnyPublisher<Void, Never> {
        publisher(keys: keys, options: options)
    }
}

// MARK: - Groups and properties

extension Defaults.Group {
    /// Publishes the changes of a key, each with the values before and after; see `Defaults.publisher(_:options:)`.
    ///
    /// - Parameters:
    ///   - path: The key.
    ///   - options: What else is published; by default also the present value, at the subscription.
    public func publisher<Value>(
        _ path: KeyPath<Keys, Defaults.Key<Value>>,
        options: Defaults.ObservationOptions = [.initial]
    ) -> AnyPublisher<Defaults.KeyChange<Value>, Never> {
        ObservationPublisher { [self] in observe(path, options: options, handler: $0) }.eraseToAnyPublisher()
    }

    /// Publishes the value of a throwing key after each change, or the error with which reading it failed.
    ///
    /// - Parameters:
    ///   - path: The key.
    ///   - initial: Whether the present value is published at the subscription.
    public func publisher<Value>(
        _ path: KeyPath<Keys, Defaults.ThrowingKey<Value>>,
        initial: Bool = true
    ) -> AnyPublisher<Result<Value, Defaults.ReadError>, Never> {
        ObservationPublisher { [self] in observe(path, initial: initial, handler: $0) }.eraseToAnyPublisher()
    }

    /// Publishes an element for each batch that changed any key of the group, without the values.
    ///
    /// - Parameter options: What else is published; by default also one element at the subscription.
    public func publisher(options: Defaults.ObservationOptions = [.initial]) -> AnyPublisher<Void, Never> {
        ObservationPublisher { [self] handler in
            observe(options: options) { handler(()) }
        }.eraseToAnyPublisher()
    }
}

extension DefaultProjection {
    /// Publishes the changes of the property, the present value first; see `Defaults.publisher(_:options:)`.
    public var publisher: AnyPublisher<Defaults.KeyChange<Value>, Never> { publisher(options: [.initial]) }

    /// Publishes the changes of the property; see `Defaults.publisher(_:options:)`.
    ///
    /// - Parameter options: What else is published.
    public func publisher(options: Defaults.ObservationOptions) -> AnyPublisher<Defaults.KeyChange<Value>, Never> {
        ObservationPublisher { [self] in observe(options: options, handler: $0) }.eraseToAnyPublisher()
    }
}

extension Default {
    /// Publishes the changes of the property, the present value first; `_name.publisher` is `$name.publisher`.
    public var publisher: AnyPublisher<Defaults.KeyChange<Value>, Never> { projectedValue.publisher }
}
#endif
