#if canImport(Combine)
public import Combine
public import KeyspanCore

extension Defaults.Group {
    /// Publishes the changes of a key, each with the values before and after; as `Defaults.publisher(_:options:)`.
    ///
    /// - Parameters:
    ///   - path: The key.
    ///   - options: What else is published; without an argument also the present value, at the subscription.
    public func publisher<Value>(
        _ path: KeyPath<Keys, Defaults.Key<Value>>,
        options: Defaults.ObservationOptions = [.initial]
    ) -> AnyPublisher<Defaults.KeyChange<Value>, Never> {
        ObservationPublisher { [self] in observe(path, options: options, handler: $0) }.eraseToAnyPublisher()
    }

    /// Publishes the value of a throwing key after each change of it, or the error with which reading it failed.
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
    /// - Parameter options: What else is published; without an argument also one element at the subscription.
    public func publisher(options: Defaults.ObservationOptions = [.initial]) -> AnyPublisher<Void, Never> {
        ObservationPublisher { [self] handler in
            observe(options: options) { handler(()) }
        }.eraseToAnyPublisher()
    }
}
#endif
