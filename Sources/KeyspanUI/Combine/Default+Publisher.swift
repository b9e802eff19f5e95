#if canImport(Combine)
public import Combine
public import Keyspan
public import KeyspanCore

extension DefaultProjection {
    /// Publishes the changes of the property, the present value first; as `Defaults.publisher(_:options:)`.
    public var publisher: AnyPublisher<Defaults.KeyChange<Value>, Never> { publisher(options: [.initial]) }

    /// Publishes the changes of the property; as `Defaults.publisher(_:options:)`.
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
