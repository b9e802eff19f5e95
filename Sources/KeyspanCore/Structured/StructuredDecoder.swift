/// What `init(from:)` is given: one value of a structured form, and the way to it.
struct StructuredDecoder: Decoder {
    let stored: PropertyListValue
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any]
    private let depth: Int

    /// Makes the decoder of the outermost value.
    init(stored: PropertyListValue, userInfo: [CodingUserInfoKey: Any]) {
        self.init(stored: stored, codingPath: [], userInfo: userInfo, depth: 0)
    }

    private init(
        stored: PropertyListValue,
        codingPath: [any CodingKey],
        userInfo: [CodingUserInfoKey: Any],
        depth: Int
    ) {
        self.stored = stored
        self.codingPath = codingPath
        self.userInfo = userInfo
        self.depth = depth
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .dictionary(let entries) = stored else {
            throw refusal([String: PropertyListValue].self, .typeMismatch(expected: .dictionary, found: stored))
        }
        return KeyedDecodingContainer(StructuredKeyedDecodingContainer(decoder: self, entries: entries))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = stored else {
            throw refusal([PropertyListValue].self, .typeMismatch(expected: .array, found: stored))
        }
        return StructuredUnkeyedDecodingContainer(decoder: self, elements: elements)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        StructuredSingleValueDecodingContainer(decoder: self)
    }
}

extension StructuredDecoder {
    /// Whether the place of this value is kept for `nil`.
    var isNil: Bool { stored == StructuredNull.form }

    /// Decodes this value.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if let dictionary = type as? any NamedDictionary.Type, let error = dictionary.equalNames(in: stored) {
            throw refusal(type, error)
        }
        if let leaf = type as? any StructuredLeaf.Type {
            return try decode(leaf, as: type)
        }
        guard depth < PropertyListValueEncoder.maximumDepth else {
            throw ValueDecodingError.unreadable(
                stored,
                reason: "it is nested deeper than \(PropertyListValue.maximumNesting) levels"
            )
        }
        let inner = StructuredDecoder(stored: stored, codingPath: codingPath, userInfo: userInfo, depth: depth + 1)
        return try type.init(from: inner)
    }

    /// The decoder of a part of this value.
    func decoder(of part: PropertyListValue, at key: any CodingKey) -> StructuredDecoder {
        StructuredDecoder(stored: part, codingPath: codingPath + [key], userInfo: userInfo, depth: depth)
    }

    private func decode<Value>(_ leaf: any StructuredLeaf.Type, as type: Value.Type) throws -> Value {
        guard !isNil else { throw nilRefusal(type) }
        let decoded: any StructuredLeaf
        do throws(ValueDecodingError) {
            decoded = try leaf.init(structuredForm: StructuredNull.unescape(stored))
        } catch {
            throw refusal(type, error)
        }
        // `leaf` and `type` are one type, so the cast succeeds.
        guard let value = decoded as? Value else {
            throw refusal(type, .unreadable(stored, reason: "it is no \(type)"))
        }
        return value
    }

    private func refusal(_ type: Any.Type, _ error: ValueDecodingError) -> DecodingError {
        guard !isNil else { return nilRefusal(type) }
        return switch error.cause {
        case .typeMismatch: .typeMismatch(type, .init(error, at: codingPath))
        case .unreadable: .dataCorrupted(.init(error, at: codingPath))
        }
    }

    private func nilRefusal(_ type: Any.Type) -> DecodingError {
        let error = ValueDecodingError.unreadable(stored, reason: "it stands for nil where a \(type) is needed")
        return .valueNotFound(type, .init(error, at: codingPath))
    }
}
