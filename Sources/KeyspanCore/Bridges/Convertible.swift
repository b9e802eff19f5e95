extension Defaults {
    /// A type that converts itself to and from a stored type with two methods.
    ///
    /// ```swift
    /// struct Person: Defaults.Convertible {
    ///     var name: String
    ///     var age: Int
    ///
    ///     func convertedObject() -> [String: PropertyListValue] {
    ///         ["name": .init(name), "age": .init(age)]
    ///     }
    ///
    ///     static func instantiate(from object: [String: PropertyListValue]) -> Person? {
    ///         guard let name = object["name"]?.stringValue, let age = object["age"]?.converted(to: Int.self) else { return nil }
    ///         return Person(name: name, age: age)
    ///     }
    /// }
    /// ```
    ///
    /// A type that is not yours can conform too. If the conformance is conditional, Swift requires that ``Serializable`` is
    /// also named:
    ///
    /// ```swift
    /// extension SIMD2: @retroactive Defaults.Serializable, @retroactive Defaults.Convertible
    /// where Scalar: Defaults.Serializable {
    ///     public func convertedObject() -> [String: Scalar] {
    ///         ["x": x, "y": y]
    ///     }
    ///
    ///     public static func instantiate(from object: [String: Scalar]) -> SIMD2? {
    ///         guard let x = object["x"], let y = object["y"] else { return nil }
    ///         return SIMD2(x, y)
    ///     }
    /// }
    /// ```
    ///
    /// These methods take precedence if the type is also `Codable` or raw-representable.
    public protocol Convertible: Serializable {
        /// The stored type: any type that keys can have.
        associatedtype Stored: Defaults.Serializable

        /// The stored form of this value.
        func convertedObject() -> Stored

        /// Makes a value from its stored form; `nil` if the form is invalid.
        static func instantiate(from object: Stored) -> Self?
    }

    /// Stores the result of ``Convertible/convertedObject()``.
    ///
    /// Reading is strict: `instantiate(from:)` never gets a collection with skipped elements.
    public struct ConvertibleBridge<Value: Convertible>: Bridge, Sendable {
        package init() {}

        @_spi(StoreAuthors) public func serialize(_ value: Value?) -> Value.Stored? { value?.convertedObject() }

        @_spi(StoreAuthors) public func deserialize(_ object: Value.Stored?) -> Value? {
            object.flatMap(Value.instantiate(from:))
        }
    }
}

extension Defaults.Convertible {
    public static var bridge: Defaults.ConvertibleBridge<Self> { Defaults.ConvertibleBridge() }
}

extension Defaults.Convertible where Self: Codable {
    public static var bridge: Defaults.ConvertibleBridge<Self> { Defaults.ConvertibleBridge() }
}

extension Defaults.Convertible where Self: RawRepresentable, RawValue: Defaults.Serializable {
    public static var bridge: Defaults.ConvertibleBridge<Self> { Defaults.ConvertibleBridge() }
}

extension Defaults.Convertible where Self: Codable & RawRepresentable, RawValue: Defaults.Serializable {
    public static var bridge: Defaults.ConvertibleBridge<Self> { Defaults.ConvertibleBridge() }
}
