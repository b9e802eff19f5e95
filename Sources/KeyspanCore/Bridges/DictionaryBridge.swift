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
    /// equal to `String`, and both "1" and "01", which make the same `Int`. Reading also accepts the whole dictionary as JSON
    /// text in data, which is read completely or not at all.
    ///
    /// If the keys are not strings, values of standard types are stored as JSON text: `[7: 1.5]` as `["7": "1.5"]`. The
    /// Defaults library writes and reads that form. The plain form is read too.
    public struct DictionaryBridge<Key: LosslessStringConvertible & Hashable, Element: Serializable>: Bridge, Sendable {
        package init() {}

        @_spi(StoreAuthors) public func serialize(_ value: [Key: Element]?) -> [String: Element.Serializable]? {
            value?.reduce(into: [:]) { serialized, entry in
                serialized[String(entry.key)] = Element.bridge.serialize(entry.value as? Element.Value)
            }
        }

        @_spi(StoreAuthors) public func deserialize(_ object: [String: Element.Serializable]?) -> [Key: Element]? {
            object?.reduce(into: [:]) { value, entry in
                guard let key = Key(entry.key) else { return }
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
            if let value = try JSONCoding.decodeCollection([Key: Element].self, from: stored) {
                try Self.checkNames(in: stored, count: value.count)
                return value
            }
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
                guard let key = Key(name) else {
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
            // Sorted, so that the same entry is kept on every read.
            for (name, encoded) in entries.sortedByName() { try add(name, encoded) }
        } else {
            for (name, encoded) in entries { try add(name, encoded) }
        }
        return value
    }

    /// The reason why the name of an entry makes no key.
    private static var nameFailure: String {
        let type = (Key.self as? any DictionaryName.Type)?.keyType ?? Key.self
        if let cases = CaseNames.clause(of: type) { return "its name is not \(cases)" }
        let words = TypeWords.of(type)
        return "its name is not \(words.isKnown ? words.noun : "of the type \(type)")"
    }

    /// Throws if JSON text in data has more members than the dictionary decoded from it.
    private static func checkNames(in stored: PropertyListValue, count: Int) throws(ValueDecodingError) {
        guard case .data(let text) = stored else { return }
        let names = JSONTexts(text).outermostNames
        guard names.count > count else { return }
        var firstNames: [Key: String] = [:]
        for name in names {
            guard let key = Key(name), let first = firstNames.updateValue(name, forKey: key) else { continue }
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

/// The text of a raw value, such as that of an enumeration's case.
struct RawValueName<Key: RawRepresentable & Hashable>: DictionaryName where Key.RawValue: LosslessStringConvertible {
    let key: Key

    var description: String { String(key.rawValue) }

    init(_ key: Key) {
        self.key = key
    }

    init?(_ description: String) {
        guard let key = Key.RawValue(description).flatMap(Key.init(rawValue:)) else { return nil }
        self.key = key
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
