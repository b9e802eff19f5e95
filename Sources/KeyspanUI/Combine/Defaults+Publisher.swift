#if canImport(Combine)
public import Combine
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
    /// Each subscriber observes the key from its subscription until it cancels. It hears what the handler of
    /// `observe(_:options:handler:)` hears, in the same order and on the same threads, of which the article *Observing
    /// changes* of `KeyspanCore` tells: put `receive(on:)` behind the publisher for a user interface. Changes that it has not
    /// asked for yet wait in memory, and none is left out. The publisher never completes and never fails.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - options: What else is published; without an argument also the present value, at the subscription.
    public func publisher<Value>(
        _ key: Key<Value>,
        options: ObservationOptions = [.initial]
    ) -> AnyPublisher<KeyChange<Value>, Never> {
        ObservationPublisher { [self] in observe(key, options: options, handler: $0) }.eraseToAnyPublisher()
    }

    /// Publishes the value of a throwing key after each change of it, or the error with which reading it failed.
    ///
    /// Otherwise as for keys that do not throw.
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

    /// Publishes an element for each batch that changed any of these keys, without their values.
    ///
    /// Otherwise as for one key.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - options: What else is published; without an argument also one element at the subscription.
    public func publisher(
        keys: [AnyKey],
        options: ObservationOptions = [.initial]
    ) -> AnyPublisher<Void, Never> {
        ObservationPublisher { [self] handler in
            observe(keys: keys, options: options) { handler(()) }
        }.eraseToAnyPublisher()
    }

    /// Publishes an element for each batch that changed any of these keys, without their values.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - options: What else is published; without an argument also one element at the subscription.
    public func publisher(
        keys: AnyKey...,
        options: ObservationOptions = [.initial]
    ) -> AnyPublisher<Void, Never> {
        publisher(keys: keys, options: options)
    }
}
#endif
