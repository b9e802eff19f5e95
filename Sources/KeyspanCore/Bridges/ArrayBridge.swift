extension Defaults {
    /// Stores an array as an array of the elements' stored forms.
    ///
    /// An element that cannot be read is skipped and reported with its index; a strict read throws instead. Reading also
    /// accepts the whole array as JSON text in data.
    ///
    /// If the element is ``ArraySerializable``, its array bridge encodes and decodes instead, in a form of its own.
    public struct ArrayBridge<Element: Serializable>: Bridge, Sendable {
        @inlinable
        package init() {}

        // The element's bridge for single values, as the types require.
        @_spi(StoreAuthors) public func serialize(_ value: [Element]?) -> [Element.Serializable]? {
            value?.compactMap { Element.bridge.serialize($0 as? Element.Value) }
        }

        @_spi(StoreAuthors) public func deserialize(_ object: [Element.Serializable]?) -> [Element]? {
            object?.compactMap { Element.bridge.deserialize($0) as? Element }
        }

        @inlinable
        @_spi(StoreAuthors) public func encode(_ value: [Element]) throws(ValueEncodingError) -> PropertyListValue {
            if let bridge = Element._arrayBridge { return try Self.encode(value, with: bridge) }
            return .array(try Element.encodeElements(value))
        }

        @inlinable
        @_spi(StoreAuthors) public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> [Element] {
            if let bridge = Element._arrayBridge { return try Self.decode(stored, in: &context, with: bridge) }
            if let value = try JSONCoding.decodeCollection([Element].self, from: stored) { return value }
            return try Element.decodeElements(of: stored, in: &context)
        }

        // The casts below succeed, because `ArraySerializable` requires a bridge for arrays of the element.

        @usableFromInline
        static func encode<Own: Bridge>(
            _ value: [Element],
            with bridge: Own
        ) throws(ValueEncodingError) -> PropertyListValue {
            guard let value = value as? Own.Value else {
                throw ValueEncodingError(reason: "its array bridge is for \(Own.Value.self), not for \([Element].self)")
            }
            return try bridge.encode(value)
        }

        @usableFromInline
        static func decode<Own: Bridge>(
            _ stored: PropertyListValue,
            in context: inout DecodingContext,
            with bridge: Own
        ) throws(ValueDecodingError) -> [Element] {
            guard let value = try bridge.decode(stored, in: &context) as? [Element] else {
                throw .unreadable(stored, reason: "its array bridge makes \(Own.Value.self), not \([Element].self)")
            }
            return value
        }
    }
}

extension Defaults.ArrayBridge: SchemaBridge {
    static func schema(levels: Int) -> PropertyListDictionary {
        if let bridge = Element._arrayBridge { return type(of: bridge).storedSchema(levels: levels) }
        return StoredSchema.array(of: Element.storedSchema(levels: levels))
    }
}

extension Array: Defaults.Serializable where Element: Defaults.Serializable {
    @_spi(StoreAuthors) public static var isNativelySupportedType: Bool { Element.isNativelySupportedType }

    @_spi(StoreAuthors) public static var sharesDecodedValues: Bool { Element.sharesDecodedValues }

    @inlinable
    public static var bridge: Defaults.ArrayBridge<Element> { Defaults.ArrayBridge() }
}

extension Defaults {
    /// A type with a separate bridge for its arrays, beside the bridge for single values.
    ///
    /// ```swift
    /// struct Frog: Defaults.ArraySerializable {
    ///     var name: String
    ///
    ///     static let bridge = FrogBridge()
    ///     static let arrayBridge = FrogsBridge()
    /// }
    ///
    /// struct FrogBridge: Defaults.Bridge {
    ///     func serialize(_ value: Frog?) -> String? { value?.name }
    ///     func deserialize(_ object: String?) -> Frog? { object.map { Frog(name: $0) } }
    /// }
    ///
    /// /// One string for all frogs, instead of an array of strings.
    /// struct FrogsBridge: Defaults.Bridge {
    ///     func serialize(_ value: [Frog]?) -> String? { value?.map(\.name).joined(separator: ",") }
    ///     func deserialize(_ object: String?) -> [Frog]? { object?.split(separator: ",").map { Frog(name: String($0)) } }
    /// }
    /// ```
    ///
    /// Wherever a key's value has an array of the type, ``ArrayBridge`` uses this bridge: in `[Frog]`, `[[Frog]]`,
    /// `[String: [Frog]]` and `[Frog]?`. Sets and other collections are still stored by their elements. A class must be final.
    ///
    /// Declare the conformance in the module that conforms the type to ``Serializable``; otherwise arrays do not find it.
    public protocol ArraySerializable: Serializable {
        /// The type of the bridge for arrays.
        associatedtype ArrayBridge: Defaults.Bridge where ArrayBridge.Value == [Self]

        /// The bridge for arrays.
        static var arrayBridge: ArrayBridge { get }
    }
}

extension Defaults.ArraySerializable {
    public static var _arrayBridge: (any Defaults.Bridge)? { arrayBridge }
}

/// Conversion between elements and a stored array, shared by the bridges of arrays, sets and other lists.
///
/// It is inlinable because unspecialized generic code costs ten times as much for each element.
extension Defaults.Serializable {
    /// The elements as a stored array.
    ///
    /// - Throws: ``ValueEncodingError`` with the index of the element that has no stored form.
    @inlinable
    static func encodeElements(
        _ elements: some Sequence<Self>,
        as encode: (Self) throws(ValueEncodingError) -> PropertyListValue = encodePart
    ) throws(ValueEncodingError) -> [PropertyListValue] {
        var encoded: [PropertyListValue] = []
        encoded.reserveCapacity(elements.underestimatedCount)
        for element in elements {
            do {
                encoded.append(try encode(element))
            } catch {
                throw error.nested(under: .index(encoded.count))
            }
        }
        return encoded
    }

    /// The elements of a stored array, in its order.
    ///
    /// - Throws: ``ValueDecodingError`` for any other kind of value, or for an element if reading is strict.
    @inlinable
    static func decodeElements(
        of stored: PropertyListValue,
        in context: inout Defaults.DecodingContext,
        as decode: (PropertyListValue, inout Defaults.DecodingContext) throws(ValueDecodingError) -> Self = decode
    ) throws(ValueDecodingError) -> [Self] {
        guard case .array(let encoded) = stored else { throw .typeMismatch(expected: .array, found: stored) }
        var elements: [Self] = []
        elements.reserveCapacity(encoded.count)
        for (index, encoded) in encoded.enumerated() {
            let element = try context.part(at: .index(index)) { (context) throws(ValueDecodingError) in
                try decode(encoded, &context)
            }
            if let element { elements.append(element) }
        }
        return elements
    }

    /// The stored form of a value inside a collection, where `nil` has none.
    @inlinable
    static func encodePart(_ value: Self) throws(ValueEncodingError) -> PropertyListValue {
        guard let encoded = try encode(value) else {
            throw ValueEncodingError(reason: "nil has no stored form inside a collection")
        }
        return encoded
    }
}
