#if Configuration
internal import Configuration
@_spi(StoreAuthors) internal import KeyspanCore

/// The last reading of a source, with which the next one is compared.
struct ConfigurationReading: Sendable {
    private let store: String
    private let queries: [EntryQuery]
    /// The questions of all keys for each entry.
    private let queriesOfEntry: [UTF8Text: [EntryQuery]]
    /// The keys with several entries, each of which says nothing by itself.
    private let partedKeys: [Defaults.AnyKey]

    /// The values that are in effect.
    private(set) var table: PropertyListTable = [:]
    /// The source's name for each key, where it is another one.
    private(set) var origins = TextDictionary<String>()

    /// The entries that the source refused last time.
    private var refused: Set<UTF8Text> = []
    /// The keys with several entries that could not read these together last time.
    private var refusedKeys: Set<UTF8Text> = []
    /// The entries of which a notice said that the provider marks them as secret.
    private var noticed: Set<UTF8Text> = []

    /// Whether the source refused none of the values.
    var isComplete: Bool { refused.isEmpty && refusedKeys.isEmpty }

    init(of store: String, keys: [Defaults.AnyKey]) {
        self.store = store
        var names: Set<UTF8Text> = []
        let all = keys.flatMap(EntryQuery.all)
        let queriesOfEntry = Dictionary(grouping: all) { UTF8Text($0.name) }
        self.queriesOfEntry = queriesOfEntry
        queries = all.filter { names.insert(UTF8Text($0.name)).inserted }.map { query in
            var query = query
            query.isSecret = queriesOfEntry[UTF8Text(query.name)]?.contains(where: \.isSecret) ?? false
            return query
        }
        partedKeys = keys.filter { EntryQuery.all(of: $0).contains { !$0.isWhole } }
    }

    /// Takes the values of a version over.
    ///
    /// - Returns: What to report when they have taken effect.
    mutating func read<Version: ConfigurationVersion>(_ version: Version) -> [Defaults.Problem] {
        var problems: [Defaults.Problem] = []
        let (tableBefore, originsBefore) = (table, origins)
        var concealed: Set<UTF8Text> = []
        for query in queries {
            let name = UTF8Text(query.name)
            switch query.answer(from: { try version.value(of: query, as: $0) }) {
            case .absent:
                table[query.name] = nil
                origins[query.name] = nil
                refused.remove(name)
            case .value(let stored, let found, let isSecret):
                let isSecretWithoutKey = isSecret && !query.isSecret
                if isSecretWithoutKey, noticed.insert(name).inserted {
                    let notice = ConfigurationNotice.secret(query.name, store: store)
                    problems.append(.storeNotice(name: store, notice: notice))
                }
                // The error must not show a value that is secret to the source.
                if isSecretWithoutKey || !Version.marksSecrets { concealed.insert(name) }
                // Another key of the name counts if it could use the value before, or if no error may show this one.
                let before = table[stored: query.name]
                let reader = queriesOfEntry[name]?.first { reader in
                    if reader.canRead(stored) { return false }
                    return reader.key === query.key || concealed.contains(name) || before.map(reader.canRead) == true
                }
                if let reader {
                    if refused.insert(name).inserted {
                        var entry: PropertyListTable = [:]
                        entry[stored: query.name] = stored
                        let error = refusal(
                            of: reader.key,
                            entry,
                            isConcealed: query.isSecret || concealed.contains(name)
                        )
                        problems.append(.storeFailed(error))
                    }
                    continue
                }
                refused.remove(name)
                if table[stored: query.name] != stored { table[stored: query.name] = stored }
                origins[query.name] = found.encodedKey.hasSameUTF8(as: query.name) ? nil : found.encodedKey
            case .refused(let type, let error):
                if refused.insert(name).inserted {
                    problems.append(.storeFailed(.valueRefused(query, as: type, error, store: store)))
                }
            }
        }
        // A key keeps all of its entries, and so do those that share one of these, which may stand before it.
        var (kept, left, count) = (refused, partedKeys, 0)
        repeat {
            count = left.count
            left.removeAll { key in
                let (name, names) = (UTF8Text(key.name), key.entryNames)
                // The reason is reported for the entry, or for the other key.
                let sharesEntry = names.contains { kept.contains(UTF8Text($0)) }
                guard sharesEntry || !key.canRead(table) else { return false }
                if !sharesEntry, refusedKeys.insert(name).inserted {
                    let isConcealed = key.isSecret || names.contains { concealed.contains(UTF8Text($0)) }
                    problems.append(.storeFailed(refusal(of: key, table, isConcealed: isConcealed)))
                }
                for name in names where table[stored: name] != tableBefore[stored: name] {
                    kept.insert(UTF8Text(name))
                    table[stored: name] = tableBefore[stored: name]
                    origins[name] = originsBefore[name]
                }
                return true
            }
        } while left.count < count
        for key in left { refusedKeys.remove(UTF8Text(key.name)) }
        return problems
    }

    /// The error about entries that a key cannot read.
    private func refusal(of key: Defaults.AnyKey, _ entries: PropertyListTable, isConcealed: Bool) -> StoreError {
        let place = InMemoryStore(entries, name: store)
        let reason = isConcealed ? nil : key.problems(in: entries, of: place).first?.summary
        return .unreadableRefused(key.name, store: store, because: reason)
    }
}
#endif
