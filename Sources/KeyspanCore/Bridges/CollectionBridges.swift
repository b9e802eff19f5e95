extension Defaults {
    /// A collection type of yours that keys can have as their value.
    ///
    /// The elements may have the same type, as those of a tree do.
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
        /// Makes the collection from the stored elements, in their order.
        init(_ elements: [Element])
    }

    /// Stores a collection as an array of the elements' stored forms, in the collection's order.
    ///
    /// An element that cannot be read is skipped and reported with its index; a strict read throws instead.
    public struct CollectionBridge<Value: CollectionSerializable>: Bridge, Sendable
    where Value.Element: Defaults.Serializable {
        /// The type of the elements.
        public typealias Element = Value.Element

        package init() {}

        @_spi(StoreAuthors) public func serialize(_ value: Value?) -> [Element.Serializable]? {
            ArrayBridge().serialize(value.map(Array.init))
        }

        @_spi(StoreAuthors) public func deserialize(_ object: [Element.Serializable]?) -> Value? {
            ArrayBridge<Element>().deserialize(object).map(Value.init)
        }

        @_spi(StoreAuthors) public func encode(_ value: Value) throws(ValueEncodingError) -> PropertyListValue {
            try NestedTypes.encode(Value.self) { () throws(ValueEncodingError) in
                .array(try Element.encodeElements(value))
            }
        }

        @_spi(StoreAuthors) public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Value {
            Value(try Element.decodeElements(of: stored, in: &context))
        }
    }
}

extension Defaults.CollectionBridge: SchemaBridge {
    static func schema(levels: Int) -> PropertyListDictionary {
        StoredSchema.array(of: Element.storedSchema(levels: levels))
    }
}

extension Defaults.CollectionSerializable where Element: Defaults.Serializable {
    public static var sharesDecodedValues: Bool {
        !(Self.self is AnyObject.Type)
            && NestedTypes.visit(Self.self, .sharing, inside: true) { Element.sharesDecodedValues }
    }

    public static var bridge: Defaults.CollectionBridge<Self> { Defaults.CollectionBridge() }
}

extension Defaults {
    /// Stores a set as an array of the elements' stored forms.
    ///
    /// The array is sorted, so that equal sets have equal stored forms. An element that cannot be read is skipped and
    /// reported with its index; a strict read throws instead. Duplicates are dropped. An element that equals an earlier one
    /// but is stored otherwise, as "e" with U+0301 is from "é", is reported, because a set cannot hold both. Reading also
    /// accepts the whole set as JSON text in data, which is read completely or not at all.
    public struct SetBridge<Element: Serializable & Hashable>: Bridge, Sendable {
        @inlinable
        package init() {}

        @_spi(StoreAuthors) public func serialize(_ value: Set<Element>?) -> [Element.Serializable]? {
            value?.compactMap { Element.bridge.serialize($0 as? Element.Value) }
        }

        @_spi(StoreAuthors) public func deserialize(_ object: [Element.Serializable]?) -> Set<Element>? {
            object.map { Set($0.compactMap { Element.bridge.deserialize($0) as? Element }) }
        }

        @inlinable
        @_spi(StoreAuthors) public func encode(_ value: Set<Element>) throws(ValueEncodingError) -> PropertyListValue {
            .array(try Element.encodeElements(value).sorted(by: PropertyListValue.isOrderedBefore))
        }

        @inlinable
        @_spi(StoreAuthors) public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Set<Element> {
            if let value = try JSONCoding.decodeCollection(Set<Element>.self, from: stored) { return value }
            let elements = try Element.decodeElements(of: stored, in: &context)
            let set = Set(elements)
            if set.count < elements.count { try context.reportEqualElements(in: stored, as: Set<Element>.self) }
            return set
        }
    }
}

extension Defaults.SetBridge: SchemaBridge {
    static func schema(levels: Int) -> PropertyListDictionary {
        StoredSchema.array(of: Element.storedSchema(levels: levels))
    }
}

extension Set: Defaults.Serializable where Element: Defaults.Serializable {
    @_spi(StoreAuthors) public static var sharesDecodedValues: Bool { Element.sharesDecodedValues }

    @inlinable
    public static var bridge: Defaults.SetBridge<Element> { Defaults.SetBridge() }
}

extension Defaults {
    /// A set type of yours that keys can have as their value.
    ///
    /// A `SetAlgebra` need not be a sequence, so the type lists its elements. An `OptionSet` needs no more than ``Serializable``: its
    /// raw value is stored, also if it conforms to this protocol.
    public protocol SetAlgebraSerializable<Element>: SetAlgebra, Serializable {
        /// The elements, each once, in any order.
        func toArray() -> [Element]
    }

    /// Stores a set as an array of the elements' stored forms, sorted as ``SetBridge`` sorts it.
    ///
    /// An element that cannot be read, or that equals an earlier one but is stored otherwise, is skipped and reported with its
    /// index; a strict read throws instead.
    public struct SetAlgebraBridge<Value: SetAlgebraSerializable>: Bridge, Sendable
    where Value.Element: Defaults.Serializable {
        /// The type of the elements.
        public typealias Element = Value.Element

        package init() {}

        @_spi(StoreAuthors) public func serialize(_ value: Value?) -> [Element.Serializable]? {
            ArrayBridge().serialize(value?.toArray())
        }

        @_spi(StoreAuthors) public func deserialize(_ object: [Element.Serializable]?) -> Value? {
            ArrayBridge<Element>().deserialize(object).map { Value($0) }
        }

        @_spi(StoreAuthors) public func encode(_ value: Value) throws(ValueEncodingError) -> PropertyListValue {
            try NestedTypes.encode(Value.self) { () throws(ValueEncodingError) in
                .array(try Element.encodeElements(value.toArray()).sorted(by: PropertyListValue.isOrderedBefore))
            }
        }

        @_spi(StoreAuthors) public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Value {
            let elements = try Element.decodeElements(of: stored, in: &context)
            let value = Value(elements)
            // Equal integers have one stored form, so dropping one of them loses nothing.
            let isExact = Element.self == Int.self || Element.self == UInt.self
            if !isExact, value.toArray().count < elements.count {
                try context.reportEqualElements(in: stored, as: Value.self)
            }
            return value
        }
    }
}

extension Defaults.SetAlgebraBridge: SchemaBridge {
    static func schema(levels: Int) -> PropertyListDictionary {
        StoredSchema.array(of: Element.storedSchema(levels: levels))
    }
}

extension Defaults.SetAlgebraSerializable where Element: Defaults.Serializable & Hashable {
    public static var sharesDecodedValues: Bool {
        !(Self.self is AnyObject.Type)
            && NestedTypes.visit(Self.self, .sharing, inside: true) { Element.sharesDecodedValues }
    }

    public static var bridge: Defaults.SetAlgebraBridge<Self> { Defaults.SetAlgebraBridge() }
}

/// An option is itself a set of options, so a list of them would have no end.
extension Defaults.SetAlgebraSerializable
where Self: OptionSet, RawValue: Defaults.Serializable, Element: Defaults.Serializable & Hashable {
    public static var sharesDecodedValues: Bool { !(Self.self is AnyObject.Type) }

    public static var bridge: Defaults.RawRepresentableBridge<Self> { Defaults.RawRepresentableBridge() }
}
