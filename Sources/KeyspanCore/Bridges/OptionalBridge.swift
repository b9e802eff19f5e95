extension Defaults {
    /// Stores what an optional wraps, with the bridge of that; no value is no entry in the store.
    public struct OptionalBridge<Wrapped: Serializable>: Bridge, Sendable {
        /// The value of the wrapped type's bridge.
        public typealias Value = Wrapped.Value

        /// What the wrapped type's bridge stores.
        public typealias Serializable = Wrapped.Serializable

        /// Makes the bridge.
        @inlinable
        public init() {}

        public func serialize(_ value: Value?) -> Serializable? { Wrapped.bridge.serialize(value) }

        public func deserialize(_ object: Serializable?) -> Value? { Wrapped.bridge.deserialize(object) }

        @inlinable
        public func encode(_ value: Value) throws(ValueEncodingError) -> PropertyListValue {
            try Wrapped.bridge.encode(value)
        }

        @inlinable
        public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Value {
            try Wrapped.bridge.decode(stored, in: &context)
        }
    }

    /// An optional of any wrapped type.
    public protocol _DefaultsOptionalProtocol: ExpressibleByNilLiteral {
        /// Whether there is no value.
        var _defaults_isNil: Bool { get }
    }
}

/// The name that Defaults has for the protocol of optionals.
public typealias _DefaultsOptionalProtocol = Defaults._DefaultsOptionalProtocol

extension Optional: Defaults._DefaultsOptionalProtocol {
    public var _defaults_isNil: Bool { self == nil }
}

extension Optional: Defaults.Serializable where Wrapped: Defaults.Serializable {
    public static var isNativelySupportedType: Bool { Wrapped.isNativelySupportedType }

    public static var sharesDecodedValues: Bool { Wrapped.sharesDecodedValues }

    @inlinable
    public static var bridge: Defaults.OptionalBridge<Wrapped> { Defaults.OptionalBridge() }
}
