#if Configuration
internal import Configuration
@_spi(StoreAuthors) internal import KeyspanCore

/// The known entries of a provider: which are secret, and how people write them.
struct ConfigEntries: Sendable {
    private let keys: TextDictionary<Defaults.AnyKey>
    private let secretNames: Set<UTF8Text>
    /// The names of the dictionaries around entries that are secret.
    private let outerNamesOfSecrets: Set<UTF8Text>
    private let secrets: SecretsSpecifier<String, PropertyListValue>

    init(keys: [Defaults.AnyKey], secrets: SecretsSpecifier<String, PropertyListValue>) {
        self.keys = TextDictionary(keys.map { ($0.name, $0) })
        let secretNames = keys.filter(\.isSecret).flatMap(\.entryNames)
        self.secretNames = Set(secretNames)
        outerNamesOfSecrets = Set(secretNames.flatMap { $0.dottedSplits.map { UTF8Text($0.outer) } })
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

    /// The value of an entry, or of a member of a dictionary or a structure.
    func storedValue(ofName name: String, in table: PropertyListTable) -> StoredValue? {
        table.storedValue(ofName: name) ?? memberOfForm(name, in: table)
    }

    /// Whether a value is secret: by its own name, as a part of a secret entry, or because a part of it is secret.
    func isSecret(_ name: String, _ stored: StoredValue, in table: PropertyListTable) -> Bool {
        if secretNames.isEmpty, case .none = secrets { return false }
        if outerNamesOfSecrets.contains(UTF8Text(name)) || isMarked(name, stored.value) { return true }
        if let form = keys[name]?.readableForm(of: stored), isMarked(name, form) { return true }
        return name.dottedSplits.contains { outer, _ in
            if secretNames.contains(UTF8Text(outer)) { return true }
            return storedValue(ofName: outer, in: table).map { secrets.isSecret(key: outer, value: $0.value) } ?? false
        }
    }

    /// Whether an entry or a member of it is marked by its name.
    private func isMarked(_ name: String, _ value: PropertyListValue) -> Bool {
        if secretNames.contains(UTF8Text(name)) || secrets.isSecret(key: name, value: value) { return true }
        guard case .dictionary(let members) = value else { return false }
        return members.contains { isMarked("\(name).\($0.key)", $0.value) }
    }

    /// The member of a value that people write as a dictionary although it is stored as text, such as a structure.
    private func memberOfForm(_ name: String, in table: PropertyListTable) -> StoredValue? {
        for (outer, inner) in name.dottedSplits {
            guard let key = keys[outer], let stored = table.storedValue(ofName: outer),
                let form = key.readableForm(of: stored)
            else { continue }
            if let member = StoredValue(form).member(atPath: inner) { return member }
        }
        return nil
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
