extension Defaults {
    /// Stores a dictionary as a dictionary whose names are the keys as text, and whose values are the element's.
    ///
    /// An entry that cannot be read is left out and reported with its name; a strict read throws instead. So is one whose name
    /// makes a key that is equal to the key of another one: a store can have "é" and "e" with U+0301 side by side, which
    /// are equal to `String`; "1" and "01" make one `Int`. Reading accepts the whole dictionary as JSON text in data as well, which
    /// is read whole or not at all.
    ///
    /// If the keys are not strings, values that are stored as they are elsewhere are stored as JSON text: `[7: 1.5]` as
    /// `["7": "1.5"]`. That is the form that the Defaults library writes and reads. The plain form is read too.
    public struct DictionaryBridge<Key: LosslessStringConvertible & Hashable, Element: Serializable>: Bridge, Sendable {
        /// The dictionary.
        public typealias Value = [Key: Element]

        /// The stored dictionary.
        public typealias Serializable = [String: Element.Serializable]

        /// Makes the bridge.
        public init() {}

        public func serialize(_ value: Value?) -> Serializable? {
            value?.reduce(into: [:]) { serialized, entry in
                serialized[String(entry.key)] = Element.bridge.serialize(entry.value as? Element.Value)
            }
        }

        public func deserialize(_ object: Serializable?) -> Value? {
            object?.reduce(into: [:]) { value, entry in
                guard let key = Key(entry.key) else { return }
                value[key] = Element.bridge.deserialize(entry.value) as? Element
            }
        }

        public func encode(_ value: Value) throws(ValueEncodingError) -> PropertyListValue {
            if let text = Self.textStoredElement { return try Self.encode(value, as: text) }
            return try Self.encode(value, elementsAs: Element.encodePart)
        }

        public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Value {
            if let value = try JSONCoding.decodeCollection(Value.self, from: stored) {
                try Self.checkNames(in: stored, count: value.count)
                return value
            }
            if let text = Self.textStoredElement { return try Self.decode(stored, in: &context, as: text) }
            return try Self.decode(stored, in: &context, elementsAs: Element.decode)
        }

        /// The type of the elements, if they are stored as JSON text.
        static var textStoredElement: (any TextStored.Type)? {
            Key.self == String.self ? nil : Element.self as? any TextStored.Type
        }

        // These open the existential: inside, the form of the elements is known.
        private static func encode<Text: TextStored>(
            _ value: Value,
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
        ) throws(ValueDecodingError) -> Value {
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
    static func encode(
        _ value: Value,
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
    ) throws(ValueDecodingError) -> Value {
        guard case .dictionary(let entries) = stored else {
            throw .typeMismatch(expected: .dictionary, found: stored)
        }
        var value: Value = [:]
        value.reserveCapacity(entries.count)
        let hasEqualKeys = Self.canHaveEqualKeys(entries)
        var firstNames: [Key: String] = [:]
        func add(_ name: String, _ encoded: PropertyListValue) throws(ValueDecodingError) {
            let entry = try context.part(at: .name(name)) { (context) throws(ValueDecodingError) in
                guard let key = Key(name) else {
                    throw .unreadable(encoded, reason: "its name makes no \(Key.self)")
                }
                if let first = firstNames[key] { throw .equalNames(name, of: encoded, after: first) }
                return (key, try decode(encoded, &context))
            }
            guard let (key, element) = entry else { return }
            value[key] = element
            if hasEqualKeys { firstNames[key] = name }
        }
        if hasEqualKeys {
            // In an order, so that it is always the same one that stays.
            for (name, encoded) in entries.sortedByName() { try add(name, encoded) }
        } else {
            for (name, encoded) in entries { try add(name, encoded) }
        }
        return value
    }

    /// Throws if JSON text in data has more members than the dictionary that was decoded from it, which is read whole or not at all.
    private static func checkNames(in stored: PropertyListValue, count: Int) throws(ValueDecodingError) {
        guard case .data(let text) = stored else { return }
        let names = JSONNames(text).names
        guard names.count > count else { return }
        var firstNames: [Key: String] = [:]
        for name in names {
            guard let key = Key(name), let first = firstNames.updateValue(name, forKey: key) else { continue }
            let error = ValueDecodingError.equalNames(name, of: stored, after: first)
            throw error.nested(under: .name(name))
        }
    }

    /// Whether two names may make one key: `String` takes texts for equal that differ in their bytes, unless both are ASCII.
    private static func canHaveEqualKeys(_ entries: PropertyListDictionary) -> Bool {
        Key.self != String.self || entries.entries.keys.contains { $0.wrappedValue.utf8.contains { $0 >= 0x80 } }
    }
}

extension Dictionary: Defaults.Serializable
where Key: LosslessStringConvertible & Hashable, Value: Defaults.Serializable {
    public static var isNativelySupportedType: Bool { Key.self is String.Type && Value.isNativelySupportedType }

    public static var sharesDecodedValues: Bool { Value.sharesDecodedValues }

    public static var bridge: Defaults.DictionaryBridge<Key, Value> { Defaults.DictionaryBridge() }
}
