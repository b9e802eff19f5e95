#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Defaults {
    /// Stores a `Codable` value as JSON text in a string, its names sorted.
    ///
    /// The Defaults library writes this form. Everything inside has `JSONEncoder`'s default form, except that the elements of a set, and
    /// the entries of a dictionary that is encoded as an array, are sorted: equal values have equal texts. A number that is not finite cannot be
    /// stored, nor a value with more than ``PropertyListValue/maximumNesting`` others around it. A type that passes its own encoder to
    /// `encode(to:)` of a set writes that in any order; `singleValueContainer().encode(_:)` is sorted.
    ///
    /// Reading also accepts JSON text in data, as other libraries write it, and the form of ``StructuredCodableBridge``. A
    /// string is tried as JSON text first, and then as the structured form of a type that is stored as one string. JSON does not
    /// distinguish `1` from `1.0`, so JSON text reads either as an integer; in the structured form a real is none. `JSONDecoder` also rounds
    /// a number to the nearest one of its type.
    ///
    /// JSON text in which dictionaries or sets of the value would merge two texts, such as "é" and "e" with U+0301, is
    /// unreadable, and so is one of more than 192 levels. If an object inside has one name twice, with the same bytes, `JSONDecoder` keeps one
    /// of the members.
    public protocol CodableBridge: Bridge where Serializable == String, Value: Codable {}

    /// Stores a `Codable` value as JSON text.
    public struct TopLevelCodableBridge<Value: Codable>: CodableBridge, Sendable {
        /// Makes the bridge.
        package init() {}
    }

    /// Stores a `Codable` value as JSON text although the type is also raw-representable.
    ///
    /// Choose ``PreferRawRepresentable`` to store the raw value instead.
    public struct RawRepresentableCodableBridge<Value: RawRepresentable & Codable>: CodableBridge, Sendable {
        /// Makes the bridge.
        package init() {}
    }
}

extension Defaults.CodableBridge {
    public func serialize(_ value: Value?) -> String? {
        guard let value else { return nil }
        do {
            return try JSONCoding.encode(value)
        } catch {
            // `encode(_:)` gives the reason.
            return nil
        }
    }

    public func deserialize(_ object: String?) -> Value? {
        guard let object else { return nil }
        do {
            return try CodableForm.decode(Value.self, from: .string(object), preferring: .json)
        } catch {
            // `decode(_:in:)` gives the reason.
            return nil
        }
    }

    public func encode(_ value: Value) throws(ValueEncodingError) -> PropertyListValue {
        .string(try JSONCoding.encode(value))
    }

    public func decode(
        _ stored: PropertyListValue,
        in context: inout Defaults.DecodingContext
    ) throws(ValueDecodingError) -> Value {
        try CodableForm.decode(Value.self, from: stored, preferring: .json)
    }
}

/// Everything is allowed: the form of a value is that of its own `Codable` conformance, as JSON text or readable.
extension Defaults.TopLevelCodableBridge: SchemaBridge {
    static func schema(levels: Int) -> PropertyListDictionary { [:] }
}

extension Defaults.RawRepresentableCodableBridge: SchemaBridge {
    static func schema(levels: Int) -> PropertyListDictionary { [:] }
}

extension Defaults.Serializable where Self: Codable {
    public static var bridge: Defaults.TopLevelCodableBridge<Self> { Defaults.TopLevelCodableBridge() }
}

extension Defaults.Serializable where Self: Codable & RawRepresentable, RawValue: Defaults.Serializable {
    public static var bridge: Defaults.RawRepresentableCodableBridge<Self> {
        Defaults.RawRepresentableCodableBridge()
    }
}

extension Defaults {
    /// Stores a `Codable` value as JSON text in data, its names sorted.
    ///
    /// Use it for stores shared with programs that expect this form; ``TopLevelCodableBridge`` writes a string, which people
    /// can read. Reading accepts both forms.
    public struct JSONDataBridge<Value: Codable>: Bridge, Sendable {
        /// Makes the bridge.
        public init() {}

        @_spi(StoreAuthors) public func serialize(_ value: Value?) -> Data? {
            text.serialize(value).map { Data($0.utf8) }
        }

        @_spi(StoreAuthors) public func deserialize(_ object: Data?) -> Value? {
            text.deserialize(object.map { String(decoding: $0, as: UTF8.self) })
        }

        @_spi(StoreAuthors) public func encode(_ value: Value) throws(ValueEncodingError) -> PropertyListValue {
            .data(Data(try JSONCoding.encode(value).utf8))
        }

        @_spi(StoreAuthors) public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Value {
            try text.decode(stored, in: &context)
        }

        private var text: TopLevelCodableBridge<Value> { TopLevelCodableBridge() }
    }
}

extension Defaults {
    /// Stores a `Codable` type as a property list that people can read and edit, instead of JSON text.
    ///
    /// ```swift
    /// struct Server: Codable, Defaults.Serializable, Defaults.PreferStructured {
    ///     var host: String
    ///     var port: Int
    /// }
    ///
    /// extension Defaults.Keys {
    ///     static let server = Key<Server>("server", default: Server(host: "localhost", port: 80))
    /// }
    /// ```
    ///
    /// The store has `["host": "localhost", "port": 80]` for this key, instead of
    /// `"{\"host\":\"localhost\",\"port\":80}"`. Values stored before the type adopted this protocol are still read.
    public protocol PreferStructured: Codable {}

    /// Stores a `Codable` value in the form that ``PropertyListValueEncoder`` makes.
    ///
    /// Reading also accepts JSON text in a string or in data, as ``CodableBridge`` and other libraries write it. For a type
    /// whose structured form is a string, that form is tried first: text between quotation marks keeps them.
    public struct StructuredCodableBridge<Value: Codable>: Bridge, Sendable {
        /// Makes the bridge.
        public init() {}

        @_spi(StoreAuthors) public func serialize(_ value: Value?) -> PropertyListValue? { serializeByEncoding(value) }

        @_spi(StoreAuthors) public func deserialize(_ object: PropertyListValue?) -> Value? {
            deserializeByDecoding(object)
        }

        @_spi(StoreAuthors) public func encode(_ value: Value) throws(ValueEncodingError) -> PropertyListValue {
            try PropertyListValueEncoder().encode(value)
        }

        @_spi(StoreAuthors) public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Value {
            try CodableForm.decode(Value.self, from: stored, preferring: .structured)
        }
    }
}

extension Defaults.Serializable where Self: Defaults.PreferStructured {
    public static var bridge: Defaults.StructuredCodableBridge<Self> { Defaults.StructuredCodableBridge() }
}

extension Defaults.Serializable
where Self: Defaults.PreferStructured & RawRepresentable, RawValue: Defaults.Serializable {
    public static var bridge: Defaults.StructuredCodableBridge<Self> { Defaults.StructuredCodableBridge() }
}

extension Defaults {
    /// Stores the raw value of a type that is also `Codable`, instead of JSON text.
    public protocol PreferRawRepresentable: RawRepresentable {}

    /// Stores the raw value of an enumeration or another raw-representable type, with the bridge of that value.
    public struct RawRepresentableBridge<Value: RawRepresentable>: Bridge, Sendable
    where Value.RawValue: Defaults.Serializable {
        /// Makes the bridge.
        public init() {}

        @_spi(StoreAuthors) public func serialize(_ value: Value?) -> Value.RawValue.Serializable? {
            value.flatMap { Value.RawValue.bridge.serialize($0.rawValue as? Value.RawValue.Value) }
        }

        @_spi(StoreAuthors) public func deserialize(_ object: Value.RawValue.Serializable?) -> Value? {
            (Value.RawValue.bridge.deserialize(object) as? Value.RawValue).flatMap(Value.init(rawValue:))
        }

        @_spi(StoreAuthors) public func encode(_ value: Value) throws(ValueEncodingError) -> PropertyListValue {
            try Value.RawValue.encodePart(value.rawValue)
        }

        @_spi(StoreAuthors) public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Value {
            let failure: ValueDecodingError
            do throws(ValueDecodingError) {
                let rawValue = try Value.RawValue.decode(stored, in: &context)
                if let value = Value(rawValue: rawValue) { return value }
                failure = .unreadable(stored, reason: "it is not a value of the type \(Value.self)")
            } catch {
                failure = error
            }
            if let value = Self.namedValue(stored) { return value }
            guard let names = CaseNames.clause(of: Value.self) else { throw failure }
            throw .noCase(stored, names)
        }

        /// The case with a name.
        private static func namedValue(_ stored: PropertyListValue) -> Value? {
            if case .string(let name) = stored { CaseNames.value(of: name, as: Value.self) } else { nil }
        }
    }
}

extension Defaults.RawRepresentableBridge: SchemaBridge {
    /// Also the names of cases, which are read as well.
    static func schema(levels: Int) -> PropertyListDictionary {
        let schema = Value.RawValue.storedSchema(levels: levels)
        return (Value.self as? any CaseIterable.Type).map(CaseNames.hasNames) == true
            ? StoredSchema.text(or: schema) : schema
    }
}

extension Defaults.Serializable where Self: RawRepresentable, RawValue: Defaults.Serializable {
    public static var bridge: Defaults.RawRepresentableBridge<Self> { Defaults.RawRepresentableBridge() }
}

extension Defaults.Serializable
where Self: Codable & RawRepresentable & Defaults.PreferRawRepresentable, RawValue: Defaults.Serializable {
    public static var bridge: Defaults.RawRepresentableBridge<Self> { Defaults.RawRepresentableBridge() }
}
