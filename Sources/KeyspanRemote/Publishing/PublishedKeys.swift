#if Remote || canImport(CryptoKit)
@_spi(StoreAuthors) internal import KeyspanCore

/// The keys whose values pass from a server to its clients, on either side, with the rules for their values.
struct PublishedKeys: Sendable {
    /// The keys that are marked as published, each entry once: of several keys with an entry, the first one decides.
    let keys: [Defaults.AnyKey]
    /// The names of all their entries.
    let entries: Set<UTF8Text>

    /// A store for the errors of keys, of which only the words about the value are used.
    private static let placeholder = InMemoryStore()

    init(_ all: [Defaults.AnyKey]) {
        var entries: Set<UTF8Text> = []
        var keys: [Defaults.AnyKey] = []
        for key in all where key.isPublished && !key.isSecret {
            let names = key.entryNames.map { UTF8Text($0) }
            if names.contains(where: entries.contains) { continue }
            entries.formUnion(names)
            keys.append(key)
        }
        (self.keys, self.entries) = (keys, entries)
    }

    /// The problem of a key's value, as a clause; `nil` if the key can read all of it and it keeps the rules of the
    /// key.
    static func problem(of key: Defaults.AnyKey, in values: PropertyListTable) -> String? {
        key.problems(in: values, of: placeholder).first?.summary
    }
}

/// The values of a store that are published, and the stored values that they were made of.
struct PublishedValues: Sendable {
    /// A value that is not published.
    struct Rejection: Sendable {
        let key: String
        /// The problem of the value, as a clause.
        let reason: String
    }

    /// The findings of a reading.
    struct Findings: Sendable {
        var rejections: [Rejection] = []
        /// The keys whose values are others than before and published.
        var accepted: [String] = []
        /// Whether all values together are too large for a document.
        var isTooLarge = false

        mutating func formUnion(_ other: Findings) {
            rejections += other.rejections
            accepted += other.accepted
            isTooLarge = isTooLarge || other.isTooLarge
        }
    }

    /// The values.
    private(set) var values: PropertyListDictionary = [:]
    /// The stored values.
    private var stored = TextDictionary<StoredValue>()

    /// No values.
    init() {}

    /// Reads the values of keys, and checks those that are others than before.
    ///
    /// A key whose value is rejected keeps the one before, as it does in a client.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - table: The values of all keys.
    ///   - before: The values before.
    ///   - findings: Collects what was found of values that are others than before.
    init(
        of keys: PublishedKeys,
        in table: PropertyListTable,
        after before: PublishedValues?,
        noting findings: inout Findings
    ) {
        for key in keys.keys {
            let names = key.entryNames
            var isChange = before == nil
            var entries: PropertyListTable = [:]
            for name in names {
                let value = table[stored: name]
                stored[name] = value
                entries[stored: name] = value
                if let before, before.stored[name] != value { isChange = true }
            }
            if !isChange, let before {
                for name in names { values[name] = before.values[name] }
                continue
            }
            if entries.isEmpty { continue }
            switch Self.checked(entries, of: key) {
            case .success(let published):
                findings.accepted.append(key.name)
                for (name, value) in published { values[name] = value }
            case .failure(let flaw):
                findings.rejections.append(Rejection(key: key.name, reason: flaw.reason))
                for name in names { values[name] = before?.values[name] }
            }
        }
    }

    /// Takes the values of keys without one from the stores below, if these are good.
    mutating func fill(_ names: [String], of keys: PublishedKeys, from table: PropertyListTable) {
        for key in keys.keys where names.contains(where: key.name.hasSameUTF8) {
            if key.entryNames.contains(where: { values[$0] != nil }) { continue }
            var entries: PropertyListTable = [:]
            for name in key.entryNames { entries[stored: name] = table[stored: name] }
            guard !entries.isEmpty, case .success(let published) = Self.checked(entries, of: key) else { continue }
            for (name, value) in published { values[name] = value }
        }
    }

    private struct Flaw: Error {
        let reason: String
    }

    /// The form in which the entries of a key are published.
    private static func checked(
        _ entries: PropertyListTable,
        of key: Defaults.AnyKey
    ) -> Result<PropertyListDictionary, Flaw> {
        if let problem = PublishedKeys.problem(of: key, in: entries) { return .failure(Flaw(reason: problem)) }
        var published: PropertyListDictionary = [:]
        for name in entries.unsortedKeys {
            guard let stored = entries[stored: name] else { continue }
            var value = stored.value
            // A client does not know what someone typed, so it receives what the key has read.
            if stored.isText {
                guard let form = key.readableForm(of: stored) else {
                    return .failure(Flaw(reason: "the value is text that has no form for clients"))
                }
                value = form
            }
            if value.isNestedDeeper(than: SettingsMessage.maximumNestingOfValue) {
                let limit = SettingsMessage.maximumNestingOfValue
                return .failure(Flaw(reason: "the value has more than \(limit) nested collections"))
            }
            published[name] = value
        }
        return .success(published)
    }
}
#endif
