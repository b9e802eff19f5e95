extension Defaults {
    /// Stores a dictionary as a dictionary whose names are the keys as text, and whose values are the element's.
    ///
    /// An entry that cannot be read is left out and reported with its name; a strict read throws instead. Reading accepts
    /// the whole dictionary as JSON text in data as well.
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
            var encoded: [String: PropertyListValue] = [:]
            encoded.reserveCapacity(value.count)
            for (key, element) in value {
                let name = String(key)
                let stored: PropertyListValue
                do {
                    stored = try Element.encodePart(element)
                } catch {
                    throw error.nested(under: .name(name))
                }
                guard encoded.updateValue(stored, forKey: name) == nil else {
                    throw ValueEncodingError(reason: "two keys have the same text").nested(under: .name(name))
                }
            }
            return .dictionary(encoded)
        }

        public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Value {
            if let value = try JSONCoding.decodeCollection(Value.self, from: stored) { return value }
            guard case .dictionary(let entries) = stored else {
                throw .typeMismatch(expected: .dictionary, found: stored)
            }
            var value: Value = [:]
            value.reserveCapacity(entries.count)
            for (name, encoded) in entries {
                let entry = try context.part(at: .name(name)) { (context) throws(ValueDecodingError) in
                    guard let key = Key(name) else {
                        throw .unreadable(encoded, reason: "its name makes no \(Key.self)")
                    }
                    return (key, try Element.decode(encoded, in: &context))
                }
                if let (key, element) = entry { value[key] = element }
            }
            return value
        }
    }
}

extension Dictionary: Defaults.Serializable
where Key: LosslessStringConvertible & Hashable, Value: Defaults.Serializable {
    public static var isNativelySupportedType: Bool { Key.self is String.Type && Value.isNativelySupportedType }

    public static var sharesDecodedValues: Bool { Value.sharesDecodedValues }

    public static var bridge: Defaults.DictionaryBridge<Key, Value> { Defaults.DictionaryBridge() }
}
