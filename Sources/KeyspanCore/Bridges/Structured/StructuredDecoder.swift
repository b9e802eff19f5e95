/// Decodes `Codable` values from property lists that ``PropertyListValueEncoder`` made or a person wrote.
///
/// ```swift
/// @_spi(StoreAuthors) import KeyspanCore
///
/// struct Window: Codable {
///     var title: String
///     var scale: Double
/// }
///
/// let window = try PropertyListValueDecoder().decode(Window.self, from: ["title": "Main", "scale": 2])
/// ```
///
/// Kinds are not converted: a truth value does not decode as a number, nor a real as an integer. An integer decodes as a
/// floating-point number if the type holds it exactly, because people write `3` for `3.0`. An optional is `nil` if it has no
/// entry or is `"$null"`.
@_spi(StoreAuthors) public struct PropertyListValueDecoder: Sendable {
    /// The information that the `init(from:)` initializers of the value and its parts find in their decoder.
    @_spi(StoreAuthors) public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// Makes a decoder.
    @_spi(StoreAuthors) public init() {}

    /// Decodes a value.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - stored: Its structured form.
    /// - Returns: The value.
    /// - Throws: ``ValueDecodingError`` with the place of the unreadable part.
    @_spi(StoreAuthors) public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self,
        from stored: PropertyListValue
    ) throws(ValueDecodingError) -> Value {
        do {
            return try StructuredDecoder(stored: stored, userInfo: userInfo).decode(type)
        } catch {
            throw ValueDecodingError(error, decoding: stored)
        }
    }
}

/// The decoder of one value of a structured form, and the path to it.
private struct StructuredDecoder: Decoder {
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
    /// Whether the value is the form of `nil`.
    var isNil: Bool { stored == StructuredNull.form }

    /// Decodes this value.
    ///
    /// Its frame is on the stack once for each level of nesting, so it leaves everything else to other functions.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if let merging = type as? any MergingCollection.Type, let set = try decode(merging, as: type) { return set }
        if let leaf = type as? any StructuredLeaf.Type { return try decode(leaf, as: type) }
        do {
            return try type.init(from: try inside())
        } catch {
            throw explained(error, decoding: type)
        }
    }

    /// The error, or one that lists the raw values of an enumeration that lacks the value.
    @inline(never)
    private func explained(_ error: any Error, decoding type: Any.Type) -> any Error {
        guard case .string = stored, !isNil, let names = CaseNames.clauseOfRawValues(of: type) else { return error }
        return refusal(type, .noCase(stored, names))
    }

    /// Decodes a set, or checks the names of a dictionary.
    ///
    /// - Returns: `nil` for a type that decodes itself.
    @inline(never)
    private func decode<Value>(_ merging: any MergingCollection.Type, as type: Value.Type) throws -> Value? {
        if let error = merging.equalNames(in: stored) { throw refusal(type, error) }
        // In two steps, because a cast of `nil` succeeds for optional types.
        guard let set = try merging.decoded(from: try inside()) else { return nil }
        return set as? Value
    }

    /// The decoder that this value gets, one level deeper.
    @inline(never)
    private func inside() throws -> StructuredDecoder {
        // A level of nesting takes one call, or two if a type decodes another one in its own place.
        guard depth < 2 * PropertyListValue.maximumNesting else { throw ValueDecodingError.nestedTooDeep(stored) }
        return StructuredDecoder(stored: stored, codingPath: codingPath, userInfo: userInfo, depth: depth + 1)
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
        // The cast succeeds, because `leaf` and `type` are the same type.
        guard let value = decoded as? Value else {
            throw refusal(type, .unreadable(stored, reason: "it is not \(TypeWords.of(type).noun)"))
        }
        return value
    }

    fileprivate func refusal(_ type: Any.Type, _ error: ValueDecodingError) -> DecodingError {
        guard !isNil else { return nilRefusal(type) }
        return switch error.cause {
        case .typeMismatch: .typeMismatch(type, .init(error, at: codingPath))
        case .unreadable, .rule: .dataCorrupted(.init(error, at: codingPath))
        }
    }

    private func nilRefusal(_ type: Any.Type) -> DecodingError {
        let error = ValueDecodingError.unreadable(
            stored,
            reason: "it stands for nil where \(TypeWords.nounInside(of: type)) is needed"
        )
        return .valueNotFound(type, .init(error, at: codingPath))
    }
}

/// Reads a dictionary.
private struct StructuredKeyedDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: StructuredDecoder
    let entries: PropertyListDictionary

    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] { entries.keys.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool { entries[key.stringValue] != nil }

    /// Whether the entry is absent or an explicit `nil`.
    func decodeNil(forKey key: Key) -> Bool {
        entries[key.stringValue].map { $0 == StructuredNull.form } ?? true
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decodePart(type, forKey: key)
    }

    // The standard library's own methods for these types refuse them.
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try decodePart(type, forKey: key) }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try decodePart(type, forKey: key) }

    private func decodePart<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        if let part = entries[key.stringValue] {
            return try decoder.decoder(of: part, at: key).decode(type)
        }
        // A generic type decodes an optional property with this method instead of `decodeIfPresent`.
        if let optional = type as? any _DefaultsOptionalProtocol.Type,
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
        let reason = "it has no \(key.stringValue.quoted)"
        return .keyNotFound(key, .init(.unreadable(decoder.stored, reason: reason), at: codingPath))
    }
}

/// Reads the elements of an array in order.
private struct StructuredUnkeyedDecodingContainer: UnkeyedDecodingContainer {
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

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decodePart(type) }

    mutating func decode(_ type: Int128.Type) throws -> Int128 { try decodePart(type) }

    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try decodePart(type) }

    private mutating func decodePart<Value: Decodable>(_ type: Value.Type) throws -> Value {
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

/// Reads a single value, which may be the form of one other value.
private struct StructuredSingleValueDecodingContainer: SingleValueDecodingContainer {
    let decoder: StructuredDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.isNil }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.decode(type) }

    func decode(_ type: Int128.Type) throws -> Int128 { try decoder.decode(type) }

    func decode(_ type: UInt128.Type) throws -> UInt128 { try decoder.decode(type) }
}

/// A type of dictionaries or sets, which decodes itself from all parts that are present and keeps one of equal ones.
private protocol MergingCollection {
    /// The error for a stored dictionary in which two names make equal keys; `nil` if all names make different keys.
    static func equalNames(in stored: PropertyListValue) -> ValueDecodingError?

    /// A set without loss; `nil` for a type that decodes itself in its own way.
    ///
    /// - Throws: An error for an element that the set would drop for an equal one of another form.
    static func decoded(from decoder: StructuredDecoder) throws -> Self?
}

extension MergingCollection {
    fileprivate static func equalNames(in stored: PropertyListValue) -> ValueDecodingError? { nil }

    fileprivate static func decoded(from decoder: StructuredDecoder) throws -> Self? { nil }
}

extension Set: MergingCollection where Element: Decodable {
    fileprivate static func decoded(from decoder: StructuredDecoder) throws -> Set? {
        guard case .array(let parts) = decoder.stored else { return nil }
        var set = Set(minimumCapacity: parts.count)
        for (index, part) in parts.enumerated() {
            let element = try decoder.decoder(of: part, at: StructuredKey.index(index)).decode(Element.self)
            let (isNew, member) = set.insert(element)
            if isNew || form(of: member) == form(of: element) { continue }
            throw decoder.refusal(Set.self, .equalElement(part).nested(under: .index(index)))
        }
        return set
    }

    private static func form(of element: Element) -> PropertyListValue? {
        (element as? any Encodable).flatMap { try? PropertyListValueEncoder().encode($0) }
    }
}

extension Dictionary: MergingCollection {
    fileprivate static func equalNames(in stored: PropertyListValue) -> ValueDecodingError? {
        guard case .dictionary(let entries) = stored else { return nil }
        var firstNames: [Key: String] = [:]
        for (name, value) in entries.sortedByName() {
            guard let key = decodedKey(of: name), let first = firstNames.updateValue(name, forKey: key) else {
                continue
            }
            return .equalNames(name, of: value, after: first)
        }
        return nil
    }

    /// The key that `Dictionary.init(from:)` makes from a name; `nil` if the name is invalid or the type is coded otherwise.
    private static func decodedKey(of name: String) -> Key? {
        if let key = name as? Key { return key }
        if Key.self == Int.self { return Int(name) as? Key }
        guard let type = Key.self as? any CodingKeyRepresentable.Type else { return nil }
        return type.init(codingKey: DecodedName(stringValue: name)) as? Key
    }
}

/// The coding key for a name in a dictionary.
private struct DecodedName: CodingKey {
    let stringValue: String

    var intValue: Int? { Int(stringValue) }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init(intValue: Int) {
        stringValue = String(intValue)
    }
}
