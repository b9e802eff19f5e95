#if Configuration
internal import Configuration
@_spi(StoreAuthors) internal import KeyspanCore

/// The question for the value of an entry: which types of swift-configuration to ask for, and which answers the key can use.
struct EntryQuery: Sendable {
    /// The answer to a question.
    enum Answer {
        /// The source has no value.
        case absent
        case value(StoredValue, LookupResult, isSecret: Bool)
        /// The source has thrown an error in place of a value of the first type.
        case refused(as: ConfigType, any Error)
    }

    /// The name of the entry.
    let name: String
    let key: Defaults.AnyKey
    /// Whether the value is secret to the key, or to another key of the entry.
    var isSecret: Bool
    /// The types to ask for, the one of the key first.
    private let types: [ConfigType]
    /// Whether the entry is the only one of the key.
    let isWhole: Bool

    /// The key's name as swift-configuration knows it.
    let configKey: ConfigKey

    /// The questions for the entries of a key.
    static func all(of key: Defaults.AnyKey) -> [EntryQuery] {
        let names = key.entryNames
        let isWhole = names.count == 1 && names[0].hasSameUTF8(as: key.name)
        let types = isWhole ? ConfigType.types(for: key.storedKind) : ConfigType.types(for: .other)
        return names.map { name in
            EntryQuery(
                name: name,
                key: key,
                isSecret: key.isSecret,
                types: types,
                isWhole: isWhole,
                configKey: ConfigKey(entryName: name)
            )
        }
    }

    /// Asks for a value.
    ///
    /// The key's own type is asked first, and its answer counts, except that of an array that the key cannot read: its elements may be
    /// collections. If the source refuses that type, or for such an array, an answer of another type counts if the key can read it: `5` for
    /// a key of real numbers, or `[[1, 2]]` as a text.
    func answer(from lookUp: (ConfigType) throws -> LookupResult) -> Answer {
        var refusal: (type: ConfigType, error: any Error)?
        var unreadable: Answer?
        for type in types {
            do {
                let found = try lookUp(type)
                guard let value = found.value else {
                    if refusal == nil, unreadable == nil { return .absent }
                    continue
                }
                let stored = StoredValue(value.content)
                let answer = Answer.value(stored, found, isSecret: value.isSecret)
                if canRead(stored) || refusal == nil && !type.isArray && unreadable == nil { return answer }
                if refusal == nil { unreadable = unreadable ?? answer }
            } catch {
                refusal = refusal ?? (type, error)
            }
        }
        if let unreadable { return unreadable }
        return refusal.map { .refused(as: $0.type, $0.error) } ?? .absent
    }

    /// Whether the key can read a value in full and its rules allow it, as far as the entry alone decides that.
    func canRead(_ stored: StoredValue) -> Bool {
        guard isWhole else { return true }
        var entries: PropertyListTable = [:]
        entries[stored: name] = stored
        return key.canRead(entries)
    }
}

extension ConfigKey {
    /// The key whose components are the parts of a name between its dots.
    init(entryName name: String) {
        // Not the initializer with a text, which leaves empty parts out, so that two names would be one key.
        self.init(
            name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map {
                String(Substring($0))
            }
        )
    }
}

extension ConfigType {
    /// The types to ask for, the one of the kind first.
    fileprivate static func types(for kind: StoredKind) -> [ConfigType] {
        switch kind {
        case .boolean: [.bool, .string]
        case .integer: [.int, .string]
        case .real: [.double, .int, .string]
        case .string: [.string]
        case .data: [.bytes, .string]
        case .array(of: .boolean): [.boolArray, .stringArray, .string]
        case .array(of: .integer): [.intArray, .stringArray, .string]
        case .array(of: .real): [.doubleArray, .intArray, .stringArray, .string]
        case .array(of: .string): [.stringArray, .string]
        case .array(of: .data): [.byteChunkArray, .stringArray, .string]
        case .array: [.stringArray, .string, .intArray, .doubleArray, .boolArray, .byteChunkArray]
        case .other:
            [
                .string, .int, .double, .bool, .bytes, .stringArray, .intArray, .doubleArray, .boolArray,
                .byteChunkArray,
            ]
        }
    }

    fileprivate var isArray: Bool {
        switch self {
        case .string, .int, .double, .bool, .bytes: false
        case .stringArray, .intArray, .doubleArray, .boolArray, .byteChunkArray: true
        }
    }

    /// The type in the words of an error.
    var words: String {
        switch self {
        case .string: "a text"
        case .int: "an integer"
        case .double: "a number"
        case .bool: "true or false"
        case .bytes: "bytes"
        case .stringArray: "a list of texts"
        case .intArray: "a list of integers"
        case .doubleArray: "a list of numbers"
        case .boolArray: "a list of truth values"
        case .byteChunkArray: "a list of bytes"
        }
    }
}
#endif
