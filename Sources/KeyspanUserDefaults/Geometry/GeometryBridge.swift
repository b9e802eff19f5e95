public import KeyspanCore

extension Defaults {
    /// Stores a point, a size or another geometric value as what it converts to: numbers under the names of its properties.
    ///
    /// That is the form that DefaultsWrapper writes. Reading accepts an integer for a real, and what the type's own `Codable`
    /// form is, as JSON text in a string or in data, or as an array: a point is `[1, 2]` there.
    public struct GeometryBridge<Value: Convertible & Codable>: Bridge, Sendable
    where Value.Stored: PropertyListConvertible {
        /// Makes the bridge.
        public init() {}

        public func serialize(_ value: Value?) -> Value.Stored? { value?.convertedObject() }

        public func deserialize(_ object: Value.Stored?) -> Value? { object.flatMap(Value.instantiate(from:)) }

        public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Value {
            let object: Value.Stored
            do throws(ValueDecodingError) {
                object = try Value.Stored(propertyListValue: stored)
            } catch {
                guard case .typeMismatch = error.cause, error.path.steps.isEmpty, stored.kind != .dictionary else {
                    throw error
                }
                return try StructuredCodableBridge().decode(stored, in: &context)
            }
            guard let value = deserialize(object) else {
                throw .unreadable(stored, reason: "it has not the numbers of a \(Value.self)")
            }
            return value
        }
    }
}
