#if Remote
@_spi(StoreAuthors) internal import KeyspanCore

/// A key whose value passes from a server to its clients.
struct PublishedKey: Sendable {
    let key: Defaults.AnyKey
    /// The names of its entries.
    let entries: [String]

    var name: String { key.name }

    /// A store for the errors of keys, of which only the words about the value are used.
    private static let placeholder = InMemoryStore()

    /// The first problem of values: the key cannot read them, or they break a rule.
    func problem(of values: PropertyListTable) -> Defaults.InvalidValue? {
        key.problems(in: values, of: Self.placeholder).first
    }
}

/// The keys whose values pass from a server to its clients, on either side, with the rules for their values.
struct PublishedKeys: Sendable {
    /// The keys that are marked as published, each entry once: of several keys with an entry, the first one decides.
    let keys: [PublishedKey]
    /// The places of the keys by the names of their entries.
    private let places: [UTF8Text: Int]

    init(_ all: [Defaults.AnyKey]) {
        var places: [UTF8Text: Int] = [:]
        var keys: [PublishedKey] = []
        for key in all where key.isPublished && !key.isSecret {
            let names = key.entryNames
            if names.contains(where: { places[UTF8Text($0)] != nil }) { continue }
            for name in names { places[UTF8Text(name)] = keys.count }
            keys.append(PublishedKey(key: key, entries: names))
        }
        (self.keys, self.places) = (keys, places)
    }

    /// The names of all entries.
    var entries: Set<UTF8Text> { Set(places.keys) }

    /// The place in ``keys`` of the key with an entry.
    func place(ofEntry name: String) -> Int? { places[UTF8Text(name)] }
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
        /// The keys whose values are others than before, and good or absent.
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
        if let before { (values, stored) = (before.values, before.stored) }
        for key in keys.keys {
            if let before, key.entries.allSatisfy({ before.stored[$0] == table[stored: $0] }) { continue }
            var entries: PropertyListTable = [:]
            for name in key.entries {
                let value = table[stored: name]
                (stored[name], entries[stored: name]) = (value, value)
            }
            switch Self.checked(entries, of: key) {
            case .success(let published):
                findings.accepted.append(key.name)
                for name in key.entries { values[name] = published[name] }
            case .failure(let flaw):
                findings.rejections.append(Rejection(key: key.name, reason: flaw.reason))
            }
        }
    }

    /// Takes the values of keys without one from the stores below, if these are good.
    mutating func fill(_ names: [String], of keys: PublishedKeys, from table: PropertyListTable) {
        for key in keys.keys where names.contains(where: key.name.hasSameUTF8) {
            if key.entries.contains(where: { values[$0] != nil }) { continue }
            var entries: PropertyListTable = [:]
            for name in key.entries { entries[stored: name] = table[stored: name] }
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
        of key: PublishedKey
    ) -> Result<PropertyListDictionary, Flaw> {
        if entries.isEmpty { return .success([:]) }
        if let problem = key.problem(of: entries) { return .failure(Flaw(reason: problem.summary)) }
        var published: PropertyListDictionary = [:]
        for name in entries.unsortedKeys {
            guard let stored = entries[stored: name] else { continue }
            var value = stored.value
            // A client does not know what someone typed, so it receives what the key has read.
            if stored.isText {
                guard let form = key.key.readableForm(of: stored) else {
                    return .failure(Flaw(reason: "the value is text that has no form for clients"))
                }
                value = form
            }
            if value.isNestedDeeper(than: SettingsDocument.maximumNestingOfValue) {
                let limit = SettingsDocument.maximumNestingOfValue
                return .failure(Flaw(reason: "the value has more than \(limit) nested collections"))
            }
            published[name] = value
        }
        return .success(published)
    }
}
#endif
