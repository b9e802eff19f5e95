/// Sets a value that is no collection, or is what one other value is.
struct StructuredSingleValueEncodingContainer: SingleValueEncodingContainer {
    let encoder: StructuredEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() {
        encoder.node.become(StructuredNull.form)
    }

    func encode(_ value: some Encodable) throws {
        try encoder.encode(value)
    }
}
