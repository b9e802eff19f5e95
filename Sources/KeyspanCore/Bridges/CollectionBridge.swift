extension Defaults {
    /// A collection of your own that keys can have as their value.
    ///
    /// ```swift
    /// struct Playlist: Defaults.CollectionSerializable {
    ///     private var titles: [String]
    ///
    ///     init(_ elements: [String]) { titles = elements }
    ///
    ///     var startIndex: Int { titles.startIndex }
    ///     var endIndex: Int { titles.endIndex }
    ///     func index(after index: Int) -> Int { titles.index(after: index) }
    ///     subscript(index: Int) -> String { titles[index] }
    /// }
    /// ```
    public protocol CollectionSerializable<Element>: Collection, Serializable {
        /// Makes the collection of the elements that were stored, in their order.
        init(_ elements: [Element])
    }

    /// Stores a collection as an array of what the element's bridge stores, in the collection's order.
    ///
    /// An element that cannot be read is left out and reported with its index; a strict read throws instead.
    public struct CollectionBridge<Value: CollectionSerializable>: Bridge, Sendable
    where Value.Element: Defaults.Serializable {
        /// The type of the elements.
        public typealias Element = Value.Element

        /// The stored array.
        public typealias Serializable = [Element.Serializable]

        /// Makes the bridge.
        public init() {}

        public func serialize(_ value: Value?) -> Serializable? {
            ArrayBridge().serialize(value.map(Array.init))
        }

        public func deserialize(_ object: Serializable?) -> Value? {
            ArrayBridge<Element>().deserialize(object).map(Value.init)
        }

        public func encode(_ value: Value) throws(ValueEncodingError) -> PropertyListValue {
            .array(try Element.encodeElements(value))
        }

        public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Value {
            Value(try Element.decodeElements(of: stored, in: &context))
        }
    }
}

extension Defaults.CollectionSerializable where Element: Defaults.Serializable {
    public static var sharesDecodedValues: Bool { Element.sharesDecodedValues && !(Self.self is AnyObject.Type) }

    public static var bridge: Defaults.CollectionBridge<Self> { Defaults.CollectionBridge() }
}
