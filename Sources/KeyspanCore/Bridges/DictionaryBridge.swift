#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension Defaults {
    /// Stores a dictionary as a dictionary from the keys' text to the values' stored forms.
    ///
    /// An entry that cannot be read is skipped and reported with its name; a strict read throws instead. The same holds for an
    /// entry whose name makes a key equal to that of an earlier entry: a store can hold both "é" and "e" with U+0301, which are
    /// equal to `String`, and both "1" and "01", which make the same `Int`. The name that a write gives the key, "1", is the
    /// earlier one, and otherwise the names are in the order of their UTF-8. Reading also accepts the whole dictionary as JSON
    /// text in data, which is read completely or not at all.
    ///
    /// If the keys are not strings, values of standard types are stored as JSON text: `[7: 1.5]` as `["7": "1.5"]`. The
    /// Defaults library writes and reads that form. The plain form is read too, and written for infinity and NaN, which JSON lacks.
    public struct DictionaryBridge<Key: LosslessStringConvertible & Hashable, Element: Serializable>: Bridge, Sendable {
        package init() {}

        @_spi(StoreAuthors) public func serialize(_ value: [Key: Element]?) -> [String: Element.Serializable]? {
            value?.reduce(into: [:]) { serialized, entry in
                serialized[String(entry.key)] = Element.bridge.serialize(entry.value as? Element.Value)
            }
        }

        @_spi(StoreAuthors) public func deserialize(_ object: [String: Element.Serializable]?) -> [Key: Element]? {
            object?.reduce(into: [:]) { value, entry in
                guard let key = Self.key(named: entry.key) else { return }
                value[key] = Element.bridge.deserialize(entry.value) as? Element
            }
        }

        @_spi(StoreAuthors) public func encode(_ value: [Key: Element]) throws(ValueEncodingError) -> PropertyListValue
        {
            if let text = Self.textStoredElement { return try encode(value, as: text) }
            return try encode(value, elementsAs: Element.encodePart)
        }

        @_spi(StoreAuthors) public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> [Key: Element] {
            if let value = try Self.decodeJSON(stored) { return value }
            if let text = Self.textStoredElement { return try Self.decode(stored, in: &context, as: text) }
            return try Self.decode(stored, in: &context, elementsAs: Element.decode)
        }

        /// The type of the elements if they are stored as JSON text.
        static var textStoredElement: (any TextStored.Type)? {
            Key.self == String.self ? nil : Element.self as? any TextStored.Type
        }

        // These open the existential: inside, the form of the elements is known.
        private func encode<Text: TextStored>(
            _ value: [Key: Element],
            as text: Text.Type
        ) throws(ValueEncodingError) -> PropertyListValue {
            try encode(value) { (element) throws(ValueEncodingError) in
                guard let element = element as? Text else { return try Element.encodePart(element) }
                return try Text.encodeText(element)
            }
        }

        private static func decode<Text: TextStored>(
            _ stored: PropertyListValue,
            in context: inout DecodingContext,
            as text: Text.Type
        ) throws(ValueDecodingError) -> [Key: Element] {
            try decode(stored, in: &context) { (encoded, context) throws(ValueDecodingError) in
                guard let element = try Text.decodeText(encoded, in: &context) as? Element else {
                    return try Element.decode(encoded, in: &context)
                }
                return element
            }
        }
    }
}

extension Defaults.DictionaryBridge {
    func encode(
        _ value: [Key: Element],
        elementsAs encode: (Element) throws(ValueEncodingError) -> PropertyListValue
    ) throws(ValueEncodingError) -> PropertyListValue {
        var encoded = PropertyListDictionary(minimumCapacity: value.count)
        for (key, element) in value {
            let name = String(key)
            let stored: PropertyListValue
            do {
                stored = try encode(element)
            } catch {
                throw error.nested(under: .name(name))
            }
            guard encoded.updateValue(stored, forKey: name) == nil else {
                throw ValueEncodingError(reason: "two keys have the same text").nested(under: .name(name))
            }
        }
        return .dictionary(encoded)
    }

    static func decode(
        _ stored: PropertyListValue,
        in context: inout Defaults.DecodingContext,
        elementsAs decode: (PropertyListValue, inout Defaults.DecodingContext) throws(ValueDecodingError) -> Element
    ) throws(ValueDecodingError) -> [Key: Element] {
        guard case .dictionary(let entries) = stored else {
            throw .typeMismatch(expected: .dictionary, found: stored)
        }
        var value: [Key: Element] = [:]
        value.reserveCapacity(entries.count)
        let hasEqualKeys = Self.canHaveEqualKeys(entries)
        var firstNames: [Key: String] = [:]
        func add(_ name: String, _ encoded: PropertyListValue) throws(ValueDecodingError) {
            let entry = try context.part(at: .name(name)) { (context) throws(ValueDecodingError) in
                guard let key = Self.key(named: name) else {
                    throw .unreadable(encoded, reason: Self.nameFailure)
                }
                if let first = firstNames[key] { throw .equalNames(name, of: encoded, after: first) }
                return (key, try decode(encoded, &context))
            }
            guard let (key, element) = entry else { return }
            value[key] = element
            if hasEqualKeys { firstNames[key] = name }
        }
        if hasEqualKeys {
            // In a fixed order, so that the same entry is kept on every read.
            for (name, encoded) in Self.ordered(entries) { try add(name, encoded) }
        } else {
            for (name, encoded) in entries { try add(name, encoded) }
        }
        return value
    }

    /// The key of a name; `nil` also for a name that `Double` or `Float` takes for another number, such as 1e-400.
    private static func key(named name: String) -> Key? {
        guard let key = Key(safely: name) else { return nil }
        if Key.self != Double.self && Key.self != Float.self || String(key).hasSameUTF8(as: name) { return key }
        return (Key.self as? any Defaults.Coercible.Type)?.coerced(from: .string(name)) as? Key
    }

    /// The entries: those with the names that writes give the keys, then the others, both sorted by name.
    private static func ordered(_ entries: PropertyListDictionary) -> [(key: String, value: PropertyListValue)] {
        let entries = entries.sortedByName()
        if Key.self == String.self { return entries }
        let written = entries.map { entry in
            key(named: entry.key).map { String($0).hasSameUTF8(as: entry.key) } ?? false
        }
        return zip(entries, written).filter(\.1).map(\.0) + zip(entries, written).filter { !$0.1 }.map(\.0)
    }

    /// The dictionary of JSON text in data, as `JSONEncoder` writes it, or with the names of this bridge; `nil` for any other value.
    ///
    /// `JSONEncoder` writes an object only for some types of keys, and a list of keys and values for others.
    private static func decodeJSON(_ stored: PropertyListValue) throws(ValueDecodingError) -> [Key: Element]? {
        guard case .data = stored else { return nil }
        let value: [Key: Element]?
        if Key.self is any CodingKeyRepresentable.Type {
            value = try JSONCoding.decodeCollection([Key: Element].self, from: stored)
        } else {
            do throws(ValueDecodingError) {
                value = try decodeObject(stored)
            } catch {
                guard let list = try? JSONCoding.decodeCollection([Key: Element].self, from: stored) else {
                    throw error
                }
                value = list
            }
        }
        if let value { try checkNames(in: stored, count: value.count) }
        return value
    }

    private static func decodeObject(_ stored: PropertyListValue) throws(ValueDecodingError) -> [Key: Element]? {
        guard let named = try JSONCoding.decodeCollection([String: Element].self, from: stored) else { return nil }
        var value: [Key: Element] = [:]
        for (name, element) in named.sorted(by: { $0.key.utf8Precedes($1.key) }) {
            guard let key = key(named: name) else {
                throw ValueDecodingError.unreadable(stored, reason: nameFailure).nested(under: .name(name))
            }
            value[key] = element
        }
        return value
    }

    /// The reason why the name of an entry makes no key.
    private static var nameFailure: String {
        let type = (Key.self as? any DictionaryName.Type)?.keyType ?? Key.self
        if let names = CaseNames.texts(of: type), names.allSatisfy({ key(named: $0) != nil }) {
            return "its name is not \(CaseNames.clause(names))"
        }
        let words = TypeWords.of(type)
        let isKnown = words.isKnown && !(type is any RawRepresentable.Type)
        return "its name is not \(isKnown ? words.noun : "of the type \(type)")"
    }

    /// Throws if JSON text in data has more members than the dictionary decoded from it.
    private static func checkNames(in stored: PropertyListValue, count: Int) throws(ValueDecodingError) {
        guard case .data(let text) = stored else { return }
        let names = JSONTexts(text).outermostNames
        guard names.count > count else { return }
        var firstNames: [Key: String] = [:]
        for name in names {
            guard let key = key(named: name), let first = firstNames.updateValue(name, forKey: key) else { continue }
            let error = ValueDecodingError.equalNames(name, of: stored, after: first)
            throw error.nested(under: .name(name))
        }
    }

    /// Whether two names may make equal keys.
    ///
    /// Strings with different bytes can be equal unless both are ASCII.
    private static func canHaveEqualKeys(_ entries: PropertyListDictionary) -> Bool {
        Key.self != String.self || entries.entries.keys.contains { $0.wrappedValue.utf8.contains { $0 >= 0x80 } }
    }
}

extension Defaults.DictionaryBridge: SchemaBridge {
    static func schema(levels: Int) -> PropertyListDictionary {
        StoredSchema.dictionary(of: textStoredElement?.textSchema ?? Element.storedSchema(levels: levels))
    }
}

extension Dictionary: Defaults.Serializable
where Key: LosslessStringConvertible & Hashable, Value: Defaults.Serializable {
    @_spi(StoreAuthors) public static var isNativelySupportedType: Bool {
        Key.self is String.Type && Value.isNativelySupportedType
    }

    @_spi(StoreAuthors) public static var sharesDecodedValues: Bool { Value.sharesDecodedValues }

    public static var bridge: Defaults.DictionaryBridge<Key, Value> { Defaults.DictionaryBridge() }
}

/// The name of a dictionary's entry in the store, for a type of keys that is not `LosslessStringConvertible`.
///
/// ``Defaults/DictionaryBridge`` stores a dictionary whose keys are wrapped in such names like any other.
protocol DictionaryName<Key>: LosslessStringConvertible, Hashable, SendableMetatype {
    /// The type of the dictionary's keys.
    associatedtype Key: Hashable

    /// The key.
    var key: Key { get }

    /// Wraps a key.
    init(_ key: Key)
}

extension DictionaryName {
    /// The type of the dictionary's keys, for errors.
    static var keyType: Any.Type { Key.self }
}

/// The text of a raw value, such as that of an enumeration's case; the name of the case is read as well.
struct RawValueName<Key: RawRepresentable & Hashable>: DictionaryName where Key.RawValue: LosslessStringConvertible {
    let key: Key

    var description: String { String(key.rawValue) }

    init(_ key: Key) {
        self.key = key
    }

    init?(_ description: String) {
        let rawValue = Key.RawValue(safely: description)
        guard let key = rawValue.flatMap(Key.init(rawValue:)) ?? CaseNames.value(of: description, as: Key.self) else {
            return nil
        }
        self.key = key
    }
}

extension RawValueName: Decodable where Key: Decodable {
    init(from decoder: any Decoder) throws {
        self.init(try Key(from: decoder))
    }
}

/// The text of a UUID in upper case.
struct UUIDName: DictionaryName {
    let key: UUID

    var description: String { key.uuidString }

    init(_ key: UUID) {
        self.key = key
    }

    init?(_ description: String) {
        guard let key = UUID(uuidString: description) else { return nil }
        self.key = key
    }
}

extension UUIDName: Decodable {
    init(from decoder: any Decoder) throws {
        self.init(try UUID(from: decoder))
    }
}

extension LosslessStringConvertible {
    /// Makes a value from a text, of which `Character` requires that it has one character.
    fileprivate init?(safely text: String) {
        if Self.self == Character.self, text.isEmpty || !text.dropFirst().isEmpty { return nil }
        self.init(text)
    }
}
