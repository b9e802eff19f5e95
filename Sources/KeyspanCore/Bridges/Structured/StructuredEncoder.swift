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
/// - The elements of a set, and the entries of a dictionary that is encoded as an array, are sorted: equal values have equal forms.
/// - A 128-bit integer is an integer in the range of ``PropertyListInteger``, and otherwise its digits.
/// - An optional property without a value has no entry. Where `nil` occupies a place, in an array or as a value in a
///   dictionary, it is the string `"$null"`, as Foundation's `PropertyListEncoder` writes it. A string of that spelling gets
///   an additional dollar sign in front, so it stays a string.
@_spi(StoreAuthors) public struct PropertyListValueEncoder: Sendable {
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
        let encoded = try CodableForm.structured.encode(value, userInfo: userInfo)
        // A URL with a base is a dictionary that no container was made for.
        guard !encoded.isNestedDeeper() else { throw ValueEncodingError.nestedTooDeep }
        return encoded
    }
}

extension CodableForm {
    /// Encodes a value in this form, nested to ``maximumLevels`` at most.
    func encode(
        _ value: some Encodable,
        userInfo: [CodingUserInfoKey: Any] = [:]
    ) throws(ValueEncodingError) -> PropertyListValue {
        let node = EncodedNode()
        do {
            try StructuredEncoder(node: node, form: self, userInfo: userInfo).encode(value)
            return try node.value(in: self)
        } catch {
            throw ValueEncodingError(error, format: name)
        }
    }
}

/// The encoder of one value: its node in the tree, and the path to it.
private struct StructuredEncoder: Encoder {
    let node: EncodedNode
    let form: CodableForm
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any]
    private var depth = Depth()

    /// How many containers, values and calls are around a value.
    private struct Depth {
        /// Containers.
        var levels = 0
        /// Values in places of their own, each of which takes a part of the stack.
        var values = 0
        /// Calls of `encode(to:)`: a type may also encode another value in its own place.
        var calls = 0
    }

    /// Makes the encoder of the outermost value.
    init(node: EncodedNode, form: CodableForm, userInfo: [CodingUserInfoKey: Any]) {
        (self.node, self.form, self.userInfo, codingPath) = (node, form, userInfo, [])
    }

    /// Makes the encoder of a value or a container inside of another value, or of a value in its place.
    private init(of node: EncodedNode, in outer: StructuredEncoder, at key: (any CodingKey)?, isValue: Bool = true) {
        (self.node, form, userInfo, depth) = (node, outer.form, outer.userInfo, outer.depth)
        codingPath = key.map { outer.codingPath + [$0] } ?? outer.codingPath
        if key != nil { depth.levels += 1 }
        if isValue { depth.calls += 1 }
        if isValue, key != nil { depth.values += 1 }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.becomeDictionary()
        checkLevels()
        return KeyedEncodingContainer(StructuredKeyedEncodingContainer(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.becomeArray()
        checkLevels()
        return StructuredUnkeyedEncodingContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        StructuredSingleValueEncodingContainer(encoder: self)
    }
}

extension StructuredEncoder {
    /// Encodes a value at this place.
    func encode(_ value: some Encodable) throws {
        if let form = try leafForm(of: value, at: codingPath) {
            node.become(form)
        } else {
            try StructuredEncoder(of: node, in: self, at: nil).run(value)
        }
    }

    /// Encodes a part of this place's value; a container stays open, because the value may ask for it again.
    func encodedPart(_ value: some Encodable, at key: @autoclosure () -> any CodingKey) throws -> EncodedNode.Part {
        if let form = try leafForm(of: value, at: codingPath + [key()]) { return .value(form) }
        let part = StructuredEncoder(of: EncodedNode(), in: self, at: key())
        try part.run(value)
        return .node(part.node)
    }

    /// The encoder of a container inside this place's value.
    func encoder(of container: EncodedNode, at key: any CodingKey) -> StructuredEncoder {
        StructuredEncoder(of: container, in: self, at: key, isValue: false)
    }

    /// Lets a value encode itself.
    ///
    /// A value that refers to itself fails here instead of overflowing the stack.
    private func run(_ value: some Encodable) throws {
        let limit = PropertyListValue.maximumNesting
        // The long path to such a value would not help, so the error has none.
        guard depth.levels <= form.maximumLevels, depth.values <= limit, depth.calls <= 3 * limit / 2 else {
            throw ValueEncodingError.nestedTooDeep
        }
        let hasOtherElements = node.arrayCount != nil
        try value.encode(to: self)
        guard let collection = type(of: value) as? any UnorderedCollection.Type, !hasOtherElements else { return }
        do {
            try node.sort(membersOf: collection.elementsPerMember, in: form)
        } catch {
            throw error == .nestedTooDeep ? error : error.nested(under: codingPath)
        }
    }

    /// Fails a container with too many around it, which cannot throw.
    private func checkLevels() {
        if depth.levels >= form.maximumLevels { node.fail(.nestedTooDeep) }
    }

    /// The form of a value without containers; `nil` for any other.
    private func leafForm(
        of value: some Encodable,
        at codingPath: @autoclosure () -> [any CodingKey]
    ) throws -> PropertyListValue? {
        guard let leaf = value as? any StructuredLeaf else { return nil }
        do {
            return try form.form(of: leaf)
        } catch {
            throw EncodingError.invalidValue(value, .init(error, at: codingPath()))
        }
    }
}

/// A collection whose elements are encoded in another order in each process.
private protocol UnorderedCollection {
    /// The number of elements for each member, if it is encoded as an array.
    static var elementsPerMember: Int { get }
}

extension Set: UnorderedCollection {
    fileprivate static var elementsPerMember: Int { 1 }
}

/// A dictionary that is encoded as an array has each key before its value.
extension Dictionary: UnorderedCollection {
    fileprivate static var elementsPerMember: Int { 2 }
}

/// Fills a dictionary.
private struct StructuredKeyedEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: StructuredEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    /// Encodes an explicit `nil`.
    ///
    /// An optional property without a value does not call this method.
    func encodeNil(forKey key: Key) {
        encoder.node.set(.value(encoder.form.null), for: key.stringValue)
    }

    func encode(_ value: some Encodable, forKey key: Key) throws { try encodePart(value, forKey: key) }

    // The standard library's own methods for these types refuse them.
    func encode(_ value: Int128, forKey key: Key) throws { try encodePart(value, forKey: key) }

    func encode(_ value: UInt128, forKey key: Key) throws { try encodePart(value, forKey: key) }

    private func encodePart(_ value: some Encodable, forKey key: Key) throws {
        encoder.node.set(try encoder.encodedPart(value, at: key), for: key.stringValue)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        part(in: encoder.node.container(for: key.stringValue), at: key).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        part(in: encoder.node.container(for: key.stringValue), at: key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { part(at: StructuredKey.super) }

    func superEncoder(forKey key: Key) -> any Encoder { part(at: key) }

    /// The encoder of a part: one that is continued, or a new one in place of any other.
    private func part(in continued: EncodedNode? = nil, at key: any CodingKey) -> StructuredEncoder {
        let node = continued ?? EncodedNode()
        encoder.node.set(.node(node), for: key.stringValue)
        return encoder.encoder(of: node, at: key)
    }
}

/// Fills an array.
private struct StructuredUnkeyedEncodingContainer: UnkeyedEncodingContainer {
    let encoder: StructuredEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    var count: Int { encoder.node.arrayCount ?? 0 }

    func encodeNil() {
        encoder.node.append(.value(encoder.form.null))
    }

    func encode(_ value: some Encodable) throws { try encodePart(value) }

    func encode(_ value: Int128) throws { try encodePart(value) }

    func encode(_ value: UInt128) throws { try encodePart(value) }

    private func encodePart(_ value: some Encodable) throws {
        encoder.node.append(try encoder.encodedPart(value, at: StructuredKey.index(count)))
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
        encoder.node.become(encoder.form.null)
    }

    func encode(_ value: some Encodable) throws { try encoder.encode(value) }

    func encode(_ value: Int128) throws { try encoder.encode(value) }

    func encode(_ value: UInt128) throws { try encoder.encode(value) }
}
