/// Reads a value that is no collection, or that is what one other value is.
struct StructuredSingleValueDecodingContainer: SingleValueDecodingContainer {
    let decoder: StructuredDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.isNil }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try decoder.decode(type)
    }
}
