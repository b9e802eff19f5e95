#if Configuration
internal import Configuration
@_spi(StoreAuthors) internal import KeyspanCore

/// The known entries of a provider: which are secret, and how people write them.
struct ConfigEntries: Sendable {
    private let keys: TextDictionary<Defaults.AnyKey>
    private let secretNames: Set<UTF8Text>
    private let secrets: SecretsSpecifier<String, PropertyListValue>

    init(keys: [Defaults.AnyKey], secrets: SecretsSpecifier<String, PropertyListValue>) {
        self.keys = TextDictionary(keys.map { ($0.name, $0) })
        secretNames = Set(keys.filter(\.isSecret).flatMap(\.entryNames))
        self.secrets = secrets
    }

    /// The name of an entry.
    static func name(of key: AbsoluteConfigKey) -> String { key.components.joined(separator: ".") }

    /// The entries that may have the value: that of the name, and the dictionaries around it.
    static func entryNames(of key: AbsoluteConfigKey) -> ObservedKeys {
        let name = name(of: key)
        return .named([name] + name.dottedSplits.map(\.outer))
    }

    func key(named name: String) -> Defaults.AnyKey? { keys[name] }

    /// Whether a value is secret, by its own name or as a part of a secret entry.
    func isSecret(_ name: String, _ value: PropertyListValue, in table: PropertyListTable) -> Bool {
        if secretNames.isEmpty, case .none = secrets { return false }
        if secretNames.contains(UTF8Text(name)) || secrets.isSecret(key: name, value: value) { return true }
        return name.dottedSplits.contains { outer, _ in
            if secretNames.contains(UTF8Text(outer)) { return true }
            return table[outer].map { secrets.isSecret(key: outer, value: $0) } ?? false
        }
    }
}

extension PropertyListTable {
    /// The value of an entry, or of a member of a dictionary whose name is the beginning of the name, up to a dot.
    func storedValue(ofName name: String) -> StoredValue? {
        if let value = self[stored: name] { return value }
        for (outer, inner) in name.dottedSplits {
            if let value = self[stored: outer]?.member(atPath: inner) { return value }
        }
        return nil
    }
}

extension StoredValue {
    /// The member of that name, or of a dictionary in this one whose name is the beginning of it.
    fileprivate func member(atPath name: String) -> StoredValue? {
        guard case .dictionary = value else { return nil }
        if let value = member(name) { return value }
        for (outer, inner) in name.dottedSplits {
            if let value = member(outer)?.member(atPath: inner) { return value }
        }
        return nil
    }
}

extension String {
    /// The parts before and behind each dot, the longest beginning first.
    var dottedSplits: [(outer: String, inner: String)] {
        utf8.indices.reversed().filter { utf8[$0] == UInt8(ascii: ".") }.map { dot in
            (String(self[..<dot]), String(self[utf8.index(after: dot)...]))
        }
    }
}
#endif
