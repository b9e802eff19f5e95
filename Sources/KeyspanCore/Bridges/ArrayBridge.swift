extension Defaults {
    /// Stores an array as an array of what the element's bridge stores.
    ///
    /// An element that cannot be read is left out and reported with its index; a strict read throws instead. Reading accepts
    /// the whole array as JSON text in data as well.
    ///
    /// If the element is ``ArraySerializable``, its bridge for arrays encodes and decodes instead, in a form of its own.
    public struct ArrayBridge<Element: Serializable>: Bridge, Sendable {
        /// The array.
        public typealias Value = [Element]

        /// The stored array.
        public typealias Serializable = [Element.Serializable]

        /// Makes the bridge.
        @inlinable
        public init() {}

        /// The stored form by the element's bridge for single values.
        public func serialize(_ value: Value?) -> Serializable? {
            value?.compactMap { Element.bridge.serialize($0 as? Element.Value) }
        }

        /// The array of a stored form by the element's bridge for single values.
        public func deserialize(_ object: Serializable?) -> Value? {
            object?.compactMap { Element.bridge.deserialize($0) as? Element }
        }

        @inlinable
        public func encode(_ value: Value) throws(ValueEncodingError) -> PropertyListValue {
            if let bridge = Element._arrayBridge { return try Self.encode(value, with: bridge) }
            return .array(try Element.encodeElements(value))
        }

        @inlinable
        public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Value {
            if let bridge = Element._arrayBridge { return try Self.decode(stored, in: &context, with: bridge) }
            if let value = try JSONCoding.decodeCollection(Value.self, from: stored) { return value }
            return try Element.decodeElements(of: stored, in: &context)
        }

        // The casts are between one type and itself, because `ArraySerializable` requires a bridge for arrays of the element.

        @usableFromInline
        static func encode<Own: Bridge>(
            _ value: Value,
            with bridge: Own
        ) throws(ValueEncodingError) -> PropertyListValue {
            guard let value = value as? Own.Value else {
                throw ValueEncodingError(reason: "its array bridge is for \(Own.Value.self), not for \(Value.self)")
            }
            return try bridge.encode(value)
        }

        @usableFromInline
        static func decode<Own: Bridge>(
            _ stored: PropertyListValue,
            in context: inout DecodingContext,
            with bridge: Own
        ) throws(ValueDecodingError) -> Value {
            guard let value = try bridge.decode(stored, in: &context) as? Value else {
                throw .unreadable(stored, reason: "its array bridge makes \(Own.Value.self), not \(Value.self)")
            }
            return value
        }
    }
}

extension Array: Defaults.Serializable where Element: Defaults.Serializable {
    public static var isNativelySupportedType: Bool { Element.isNativelySupportedType }

    public static var sharesDecodedValues: Bool { Element.sharesDecodedValues }

    @inlinable
    public static var bridge: Defaults.ArrayBridge<Element> { Defaults.ArrayBridge() }
}
