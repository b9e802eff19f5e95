/// Reads an array, one element after the other.
struct StructuredUnkeyedDecodingContainer: UnkeyedDecodingContainer {
    let decoder: StructuredDecoder
    let elements: [PropertyListValue]
    private(set) var currentIndex = 0

    init(decoder: StructuredDecoder, elements: [PropertyListValue]) {
        self.decoder = decoder
        self.elements = elements
    }

    var codingPath: [any CodingKey] { decoder.codingPath }

    var count: Int? { elements.count }

    var isAtEnd: Bool { currentIndex == elements.count }

    mutating func decodeNil() throws -> Bool {
        guard try nextDecoder(for: Never?.self).isNil else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try nextDecoder(for: type).decode(type)
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        let container = try nextDecoder(for: [String: PropertyListValue].self).container(keyedBy: type)
        currentIndex += 1
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try nextDecoder(for: [PropertyListValue].self).unkeyedContainer()
        currentIndex += 1
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try nextDecoder(for: (any Decoder).self)
        currentIndex += 1
        return decoder
    }

    private func nextDecoder(for type: Any.Type) throws -> StructuredDecoder {
        guard !isAtEnd else {
            let error = ValueDecodingError.unreadable(decoder.stored, reason: "it has only \(elements.count) elements")
            throw DecodingError.valueNotFound(type, .init(error, at: codingPath))
        }
        return decoder.decoder(of: elements[currentIndex], at: StructuredKey.index(currentIndex))
    }
}
