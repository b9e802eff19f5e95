extension Defaults {
    /// A type that says in two methods how it is stored and made again.
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
    /// A type that is not yours can conform as well. Where it conforms only under a condition, Swift wants
    /// ``Serializable`` named too:
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
    /// These methods are used although the type is `Codable` or raw-representable too.
    public protocol Convertible: Serializable {
        /// What is stored for a value: any type that keys can have.
        associatedtype Stored: Defaults.Serializable

        /// What is stored for this value.
        func convertedObject() -> Stored

        /// Makes a value from what is stored for it, or answers `nil` if that makes none.
        static func instantiate(from object: Stored) -> Self?
    }

    /// Stores what ``Convertible/convertedObject()`` answers.
    ///
    /// That is read whole or not at all: `instantiate(from:)` never gets a collection with elements left out.
    public struct ConvertibleBridge<Value: Convertible>: Bridge, Sendable {
        /// Makes the bridge.
        public init() {}

        public func serialize(_ value: Value?) -> Value.Stored? { value?.convertedObject() }

        public func deserialize(_ object: Value.Stored?) -> Value? { object.flatMap(Value.instantiate(from:)) }
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
