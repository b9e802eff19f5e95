/// Encodes `Codable` values as property lists that people can read and edit.
///
/// ```swift
/// @_spi(StoreAuthors) import KeyspanCore
///
/// struct Server: Codable {
///     var host: String
///     var port: Int?
/// }
///
/// print(try PropertyListValueEncoder().encode(Server(host: "localhost", port: nil)))  // prints: ["host": "localhost"]
/// ```
///
/// - Numbers, truth values, text, dates and data keep their kinds: an integer never becomes a real, nor the reverse. A URL is
///   stored as its text, a URL with a base as a dictionary of `base` and `relative`, and a `Decimal` as its digits.
/// - A keyed container is a dictionary, an unkeyed one an array. A value that requests no container is an empty dictionary.
/// - An optional property without a value has no entry. Where `nil` occupies a place, in an array or as a value in a
///   dictionary, it is the string `"$null"`, as Foundation's `PropertyListEncoder` writes it. A string of that spelling gets
///   an additional dollar sign in front, so it stays a string.
@_spi(StoreAuthors) public struct PropertyListValueEncoder: Sendable {
    /// The limit for nested calls of `encode(to:)`: 256.
    ///
    /// A level of nesting takes one or two calls. A value that refers to itself fails here instead of overflowing the stack.
    static let maximumDepth = 2 * PropertyListValue.maximumNesting

    /// The information that the `encode(to:)` methods of the value and its parts find in their encoder.
    @_spi(StoreAuthors) public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// Makes an encoder.
    @_spi(StoreAuthors) public init() {}

    /// Encodes a value.
    ///
    /// - Parameter value: The value.
    /// - Returns: Its structured form, nested to ``PropertyListValue/maximumNesting`` levels at most.
    /// - Throws: ``ValueEncodingError`` with the place of the part that has no stored form.
    @_spi(StoreAuthors) public func encode(_ value: some Encodable) throws(ValueEncodingError) -> PropertyListValue {
        let node = EncodedNode()
        do {
            try StructuredEncoder(node: node, userInfo: userInfo).encode(value)
            let encoded = try node.value
            guard !encoded.isNestedDeeper() else { throw ValueEncodingError.nestedTooDeep }
            return encoded
        } catch {
            throw ValueEncodingError(error)
        }
    }
}

/// The encoder of one value: its node in the tree, and the path to it.
private struct StructuredEncoder: Encoder {
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
    /// A container that would be too deep is detached from the tree, and this place's value fails.
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
        // The long path to a value that refers to itself would not help, so the error has none.
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

/// Fills a dictionary.
private struct StructuredKeyedEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: StructuredEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    /// Encodes an explicit `nil`.
    ///
    /// An optional property without a value does not call this method.
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

/// Fills an array.
private struct StructuredUnkeyedEncodingContainer: UnkeyedEncodingContainer {
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

/// Sets a single value, which may be the form of one other value.
private struct StructuredSingleValueEncodingContainer: SingleValueEncodingContainer {
    let encoder: StructuredEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() {
        encoder.node.become(StructuredNull.form)
    }

    func encode(_ value: some Encodable) throws {
        try encoder.encode(value)
    }
}

/// One value of the tree that an encoding fills.
///
/// `Encoder` returns containers before their content is known.
private final class EncodedNode {
    /// A part of a collection: its final form, or a container that is still being filled.
    enum Part {
        case value(PropertyListValue)
        case node(EncodedNode)
    }

    private enum Content {
        case nothing
        case value(PropertyListValue)
        case array([Part])
        case dictionary(TextDictionary<Part>)
        case failed(ValueEncodingError)
    }

    private var content = Content.nothing

    /// The number of elements, if this is an array.
    var count: Int {
        if case .array(let elements) = content { elements.count } else { 0 }
    }

    /// Makes this a dictionary, unless it already is one.
    func becomeDictionary() {
        switch content {
        case .nothing: content = .dictionary([:])
        case .dictionary: break
        case .value, .array: fail(.excludingContainers)
        case .failed: break
        }
    }

    /// Makes this an array, unless it already is one.
    func becomeArray() {
        switch content {
        case .nothing: content = .array([])
        case .array: break
        case .value, .dictionary: fail(.excludingContainers)
        case .failed: break
        }
    }

    /// Makes this a single value.
    func become(_ value: PropertyListValue) {
        if case .nothing = content { content = .value(value) } else { fail(.excludingContainers) }
    }

    /// Sets an entry of the dictionary.
    ///
    /// For a repeated name, the last value wins.
    func set(_ part: Part, for name: String) {
        guard case .dictionary(var entries) = content else { return fail(.excludingContainers) }
        content = .nothing  // Releases the second reference, so that the entries are changed in place.
        entries[name] = part
        content = .dictionary(entries)
    }

    /// Adds an element to the array.
    func append(_ part: Part) {
        guard case .array(var elements) = content else { return fail(.excludingContainers) }
        content = .nothing  // Releases the second reference, so that the elements are changed in place.
        elements.append(part)
        content = .array(elements)
    }

    /// Records an error for a caller that cannot throw.
    ///
    /// The first error wins.
    func fail(_ error: ValueEncodingError) {
        if case .failed = content { return }
        content = .failed(error)
    }

    /// The container at a name, if one was returned before.
    func container(for name: String) -> EncodedNode? {
        guard case .dictionary(let entries) = content, case .node(let node) = entries[name] else { return nil }
        return node
    }

    /// The finished value.
    ///
    /// - Throws: ``ValueEncodingError`` if an `encode(to:)` used its containers in a way that has no result.
    var value: PropertyListValue {
        get throws(ValueEncodingError) {
            switch content {
            case .nothing: return .dictionary([:])
            case .value(let value): return value
            case .array(let parts):
                var elements: [PropertyListValue] = []
                elements.reserveCapacity(parts.count)
                for (index, part) in parts.enumerated() {
                    elements.append(try Self.value(of: part, at: .index(index)))
                }
                return .array(elements)
            case .dictionary(let parts):
                var entries: PropertyListDictionary = [:]
                entries.reserveCapacity(parts.count)
                for (name, part) in parts { entries[name] = try Self.value(of: part, at: .name(name)) }
                return .dictionary(entries)
            case .failed(let error): throw error
            }
        }
    }

    private static func value(
        of part: Part,
        at step: ValuePath.Step
    ) throws(ValueEncodingError) -> PropertyListValue {
        switch part {
        case .value(let value): return value
        case .node(let node):
            do {
                return try node.value
            } catch {
                // The long path to a value that is nested too deep would not help.
                throw error == .nestedTooDeep ? error : error.nested(under: step)
            }
        }
    }
}

extension ValueEncodingError {
    static let excludingContainers = Self(reason: "its encode(to:) asked for containers that exclude each other")

    static let nestedTooDeep = Self(reason: "it is nested deeper than \(PropertyListValue.maximumNesting) levels")
}
