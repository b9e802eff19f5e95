/// Reads a dictionary.
struct StructuredKeyedDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: StructuredDecoder
    let entries: PropertyListDictionary

    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] { entries.keys.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool { entries[key.stringValue] != nil }

    /// An entry that is absent is `nil`, as one that was encoded to be `nil` is.
    func decodeNil(forKey key: Key) -> Bool {
        entries[key.stringValue].map { $0 == StructuredNull.form } ?? true
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        if let part = entries[key.stringValue] {
            return try decoder.decoder(of: part, at: key).decode(type)
        }
        // A generic type decodes its optional property by name, not by `decodeIfPresent`.
        if let optional = type as? any Defaults._DefaultsOptionalProtocol.Type,
            let value = optional.init(nilLiteral: ()) as? Value
        {
            return value
        }
        throw notFound(key)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try nestedDecoder(at: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try nestedDecoder(at: key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try nestedDecoder(at: StructuredKey.super) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try nestedDecoder(at: key) }

    private func nestedDecoder(at key: any CodingKey) throws -> StructuredDecoder {
        guard let part = entries[key.stringValue] else { throw notFound(key) }
        return decoder.decoder(of: part, at: key)
    }

    private func notFound(_ key: any CodingKey) -> DecodingError {
        let reason = "it has no \(key.stringValue.debugDescription)"
        return .keyNotFound(key, .init(.unreadable(decoder.stored, reason: reason), at: codingPath))
    }
}
