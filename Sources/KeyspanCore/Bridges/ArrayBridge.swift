extension Defaults {
    /// Stores an array as an array of what the element's bridge stores.
    ///
    /// An element that cannot be read is left out and reported with its index; a strict read throws instead.
    public struct ArrayBridge<Element: Serializable>: Bridge, Sendable {
        /// The array.
        public typealias Value = [Element]

        /// The stored array.
        public typealias Serializable = [Element.Serializable]

        /// Makes the bridge.
        public init() {}

        public func serialize(_ value: Value?) -> Serializable? {
            value?.compactMap { Element.bridge.serialize($0 as? Element.Value) }
        }

        public func deserialize(_ object: Serializable?) -> Value? {
            object?.compactMap { Element.bridge.deserialize($0) as? Element }
        }

        public func encode(_ value: Value) throws(ValueEncodingError) -> PropertyListValue {
            .array(try Element.encodeElements(value))
        }

        public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Value {
            try Element.decodeElements(of: stored, in: &context)
        }
    }
}

extension Array: Defaults.Serializable where Element: Defaults.Serializable {
    public static var isNativelySupportedType: Bool { Element.isNativelySupportedType }

    public static var sharesDecodedValues: Bool { Element.sharesDecodedValues }

    public static var bridge: Defaults.ArrayBridge<Element> { Defaults.ArrayBridge() }
}
