extension Defaults {
    /// Stores values of a type that is a property list by itself, as they are.
    ///
    /// Nothing is converted, but for a text where the store has nothing but text; see ``DecodingContext/readsText``.
    public struct NativeBridge<Value: PropertyListConvertible & Serializable>: Bridge, Sendable {
        /// Makes the bridge.
        @inlinable
        public init() {}

        public func serialize(_ value: Value?) -> Value? { value }

        public func deserialize(_ object: Value?) -> Value? { object }

        @inlinable
        public func encode(_ value: Value) -> PropertyListValue { value.propertyListValue }

        @inlinable
        public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Value {
            do {
                return try Value(propertyListValue: stored)
            } catch {
                return try context.value(ofText: stored, insteadOf: error)
            }
        }
    }
}

extension Defaults.Serializable where Self: PropertyListConvertible {
    public static var isNativelySupportedType: Bool { true }

    @inlinable
    public static var bridge: Defaults.NativeBridge<Self> { Defaults.NativeBridge() }
}

// The standard types are `Codable` too; what is a property list by itself needs no JSON text.
extension Defaults.Serializable where Self: PropertyListConvertible & Codable {
    public static var isNativelySupportedType: Bool { true }

    @inlinable
    public static var bridge: Defaults.NativeBridge<Self> { Defaults.NativeBridge() }
}
