extension Defaults {
    /// Stores a set as an array of what the element's bridge stores.
    ///
    /// The array is sorted, so that equal sets have equal stored forms. An element that cannot be read is left out and
    /// reported with its index; a strict read throws instead. Of elements that are stored twice one remains; a text that only
    /// differs in its bytes from an earlier one, as "e" with U+0301 does from "é", is reported, because a set cannot have both.
    /// Reading accepts the whole set as JSON text in data as well.
    public struct SetBridge<Element: Serializable & Hashable>: Bridge, Sendable {
        /// The set.
        public typealias Value = Set<Element>

        /// The stored array.
        public typealias Serializable = [Element.Serializable]

        /// Makes the bridge.
        @inlinable
        public init() {}

        public func serialize(_ value: Value?) -> Serializable? {
            value?.compactMap { Element.bridge.serialize($0 as? Element.Value) }
        }

        public func deserialize(_ object: Serializable?) -> Value? {
            object.map { Set($0.compactMap { Element.bridge.deserialize($0) as? Element }) }
        }

        @inlinable
        public func encode(_ value: Value) throws(ValueEncodingError) -> PropertyListValue {
            .array(try Element.encodeElements(value).sorted(by: PropertyListValue.isOrderedBefore))
        }

        @inlinable
        public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Value {
            if let value = try JSONCoding.decodeCollection(Value.self, from: stored) { return value }
            let elements = try Element.decodeElements(of: stored, in: &context)
            let set = Set(elements)
            if set.count < elements.count { try context.reportEqualTexts(in: stored) }
            return set
        }
    }
}

extension Set: Defaults.Serializable where Element: Defaults.Serializable {
    public static var sharesDecodedValues: Bool { Element.sharesDecodedValues }

    @inlinable
    public static var bridge: Defaults.SetBridge<Element> { Defaults.SetBridge() }
}
