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
    private(set) var keys: [PublishedKey] = []
    /// The names of all entries.
    private(set) var entries: Set<UTF8Text> = []

    init(_ all: [Defaults.AnyKey]) {
        for key in all where key.isPublished && !key.isSecret {
            let names = Set(key.entryNames.map { UTF8Text($0) })
            guard entries.isDisjoint(with: names) else { continue }
            entries.formUnion(names)
            keys.append(PublishedKey(key: key, entries: key.entryNames))
        }
    }
}

/// The values of a store that are published, and the stored values that they were made of.
struct PublishedValues: Sendable {
    /// The values.
    private(set) var values: PropertyListDictionary = [:]
    /// The reasons why present values are not published, by the names of their keys.
    private(set) var rejections = TextDictionary<String>()
    /// The stored values.
    private var stored = TextDictionary<StoredValue>()

    /// Reads the values of keys, and checks those that are others than before.
    ///
    /// A key whose value is rejected keeps the one before, as it does in a client.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - table: The values of all keys.
    ///   - before: The values before.
    init(of keys: PublishedKeys, in table: PropertyListTable, after before: PublishedValues?) {
        if let before { self = before }
        for key in keys.keys {
            if before != nil, key.entries.allSatisfy({ stored[$0] == table[stored: $0] }) { continue }
            var entries: PropertyListTable = [:]
            for name in key.entries {
                let value = table[stored: name]
                (stored[name], entries[stored: name]) = (value, value)
            }
            do throws(Rejection) {
                let published = try Self.checked(entries, of: key)
                for name in key.entries { values[name] = published[name] }
                rejections[key.name] = nil
            } catch {
                rejections[key.name] = error.reason
            }
        }
    }

    /// Takes the values of rejected keys without one from the stores below, if these are good.
    mutating func fill(_ keys: PublishedKeys, from table: PropertyListTable) {
        for key in keys.keys where rejections[key.name] != nil {
            if key.entries.contains(where: { values[$0] != nil }) { continue }
            var entries: PropertyListTable = [:]
            for name in key.entries { entries[stored: name] = table[stored: name] }
            for (name, value) in (try? Self.checked(entries, of: key)) ?? [:] { values[name] = value }
        }
    }

    private struct Rejection: Error {
        let reason: String
    }

    /// The form in which the entries of a key are published.
    private static func checked(
        _ entries: PropertyListTable,
        of key: PublishedKey
    ) throws(Rejection) -> PropertyListDictionary {
        if entries.isEmpty { return [:] }
        if let problem = key.problem(of: entries) { throw Rejection(reason: problem.summary) }
        var published: PropertyListDictionary = [:]
        for name in entries.unsortedKeys {
            guard let stored = entries[stored: name] else { continue }
            // A client does not know what someone typed, so it receives what the key has read.
            guard let value = stored.isText ? key.key.readableForm(of: stored) : stored.value else {
                throw Rejection(reason: "the value is text that has no form for clients")
            }
            let limit = SettingsDocument.maximumNestingOfValue
            if value.isNestedDeeper(than: limit) {
                throw Rejection(reason: "the value has more than \(limit) nested collections")
            }
            published[name] = value
        }
        return published
    }
}
#endif
