/// Fills a dictionary.
struct StructuredKeyedEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: StructuredEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    /// Keeps the place of a `nil` that was encoded on purpose; an optional property without a value does not come here.
    func encodeNil(forKey key: Key) {
        encoder.node.set(.value(StructuredNull.form), for: key.stringValue)
    }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        encoder.node.set(.value(try encoder.encodedPart(value, at: key)), for: key.stringValue)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        superEncoder(for: key).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        superEncoder(for: key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { superEncoder(for: StructuredKey.super) }

    func superEncoder(forKey key: Key) -> any Encoder { superEncoder(for: key) }

    private func superEncoder(for key: any CodingKey) -> StructuredEncoder {
        let container = encoder.node.container(for: key.stringValue) ?? EncodedNode()
        encoder.node.set(.node(container), for: key.stringValue)
        return encoder.encoder(of: container, at: key)
    }
}
