extension Defaults {
    /// A set of your own that keys can have as their value.
    ///
    /// A `SetAlgebra` need not be a sequence, so it has to say what it contains.
    public protocol SetAlgebraSerializable<Element>: SetAlgebra, Serializable {
        /// The elements, each once, in any order.
        func toArray() -> [Element]
    }

    /// Stores a set as an array of what the element's bridge stores, sorted as ``SetBridge`` sorts it.
    ///
    /// An element that cannot be read is left out and reported with its index; a strict read throws instead.
    public struct SetAlgebraBridge<Value: SetAlgebraSerializable>: Bridge, Sendable
    where Value.Element: Defaults.Serializable {
        /// The type of the elements.
        public typealias Element = Value.Element

        /// The stored array.
        public typealias Serializable = [Element.Serializable]

        /// Makes the bridge.
        public init() {}

        public func serialize(_ value: Value?) -> Serializable? {
            ArrayBridge().serialize(value?.toArray())
        }

        public func deserialize(_ object: Serializable?) -> Value? {
            ArrayBridge<Element>().deserialize(object).map { Value($0) }
        }

        public func encode(_ value: Value) throws(ValueEncodingError) -> PropertyListValue {
            .array(try Element.encodeElements(value.toArray()).sorted(by: PropertyListValue.isOrderedBefore))
        }

        public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Value {
            Value(try Element.decodeElements(of: stored, in: &context))
        }
    }
}

extension Defaults.SetAlgebraSerializable where Element: Defaults.Serializable & Hashable {
    public static var sharesDecodedValues: Bool { Element.sharesDecodedValues && !(Self.self is AnyObject.Type) }

    public static var bridge: Defaults.SetAlgebraBridge<Self> { Defaults.SetAlgebraBridge() }
}
