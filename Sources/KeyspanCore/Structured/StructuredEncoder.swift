/// What `encode(to:)` is given: the place of one value in the tree, and the way to it.
struct StructuredEncoder: Encoder {
    let node: EncodedNode
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any]
    private let depth: Int

    /// Makes the encoder of the outermost value.
    init(node: EncodedNode, userInfo: [CodingUserInfoKey: Any]) {
        self.init(node: node, codingPath: [], userInfo: userInfo, depth: 0)
    }

    private init(node: EncodedNode, codingPath: [any CodingKey], userInfo: [CodingUserInfoKey: Any], depth: Int) {
        self.node = node
        self.codingPath = codingPath
        self.userInfo = userInfo
        self.depth = depth
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.becomeDictionary()
        return KeyedEncodingContainer(StructuredKeyedEncodingContainer(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.becomeArray()
        return StructuredUnkeyedEncodingContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        StructuredSingleValueEncodingContainer(encoder: self)
    }
}

extension StructuredEncoder {
    /// Encodes a value at this place.
    func encode(_ value: some Encodable) throws {
        if let leaf = value as? any StructuredLeaf {
            node.become(try encodedLeaf(leaf, at: codingPath))
        } else {
            try inner(node: node, codingPath: codingPath).run(value)
        }
    }

    /// The structured form of a part of this place's value.
    func encodedPart(_ value: some Encodable, at key: @autoclosure () -> any CodingKey) throws -> PropertyListValue {
        if let leaf = value as? any StructuredLeaf {
            return try encodedLeaf(leaf, at: codingPath + [key()])
        }
        let part = inner(node: EncodedNode(), codingPath: codingPath + [key()])
        try part.run(value)
        do {
            return try part.node.value
        } catch {
            throw EncodingError.invalidValue(value, .init(error, at: part.codingPath))
        }
    }

    /// The encoder of a container inside this place's value.
    ///
    /// A container that would be too deep belongs to no tree, and this place's value has failed.
    func encoder(of container: EncodedNode, at key: any CodingKey) -> StructuredEncoder {
        guard depth < PropertyListValueEncoder.maximumDepth else {
            node.fail(.nestedTooDeep)
            return StructuredEncoder(node: EncodedNode(), codingPath: codingPath, userInfo: userInfo, depth: depth)
        }
        return inner(node: container, codingPath: codingPath + [key])
    }

    private func inner(node: EncodedNode, codingPath: [any CodingKey]) -> StructuredEncoder {
        StructuredEncoder(node: node, codingPath: codingPath, userInfo: userInfo, depth: depth + 1)
    }

    private func run(_ value: some Encodable) throws {
        // The path to a value that refers to itself is as long as it is worthless.
        guard depth <= PropertyListValueEncoder.maximumDepth else { throw ValueEncodingError.nestedTooDeep }
        try value.encode(to: self)
    }

    private func encodedLeaf(
        _ leaf: any StructuredLeaf,
        at codingPath: @autoclosure () -> [any CodingKey]
    ) throws -> PropertyListValue {
        do {
            return StructuredNull.escape(try leaf.structuredForm())
        } catch {
            throw EncodingError.invalidValue(leaf, .init(error, at: codingPath()))
        }
    }
}
