/// Fills an array.
struct StructuredUnkeyedEncodingContainer: UnkeyedEncodingContainer {
    let encoder: StructuredEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    var count: Int { encoder.node.count }

    func encodeNil() {
        encoder.node.append(.value(StructuredNull.form))
    }

    func encode(_ value: some Encodable) throws {
        encoder.node.append(.value(try encoder.encodedPart(value, at: StructuredKey.index(count))))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        nestedEncoder().container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nestedEncoder().unkeyedContainer() }

    func superEncoder() -> any Encoder { nestedEncoder() }

    private func nestedEncoder() -> StructuredEncoder {
        let key = StructuredKey.index(count)
        let container = EncodedNode()
        encoder.node.append(.node(container))
        return encoder.encoder(of: container, at: key)
    }
}
