#if Configuration
internal import Configuration
@_spi(StoreAuthors) internal import KeyspanCore

/// The entries of a key as a reader has them.
struct EntriesOfKey: Equatable {
    var table: PropertyListTable = [:]
    /// The first value that was refused.
    var refusal: StoreError?

    /// Whether the values are the same, and whether one is refused.
    static func == (left: Self, right: Self) -> Bool {
        left.table == right.table && (left.refusal == nil) == (right.refusal == nil)
    }
}

extension ConfigSnapshotReader {
    /// The entries of a key.
    func entries(of key: Defaults.AnyKey, fileID: String, line: UInt) -> EntriesOfKey {
        var entries = EntriesOfKey()
        for query in EntryQuery.all(of: key) {
            switch query.answer(from: { try lookUp(query, as: $0, fileID: fileID, line: line) }) {
            case .absent: break
            case .value(let stored, _, _): entries.table[stored: query.name] = stored
            case .refused(let type, let error):
                entries.refusal =
                    entries.refusal
                    ?? .valueRefused(
                        query,
                        as: type,
                        error,
                        store: ReaderStore.shared.name,
                        remedy: "correct the value there, or remove it to return to the default of the key"
                    )
            }
        }
        return entries
    }
}

extension Defaults.TypedKey {
    /// The value of entries, or the default if they are absent, or refused or unreadable, which is reported.
    func value(of entries: EntriesOfKey) -> Value {
        guard let refusal = entries.refusal else {
            // A value that cannot be read may be secret to its provider.
            let key = canRead(entries.table) ? self : concealed
            return key.value(ofEntries: entries.table, in: ReaderStore.shared)
        }
        if ReaderStore.isNew(refusal) { Defaults.Problem.storeFailed(refusal).report() }
        return defaultValue
    }

    /// The value of entries, or the default if they are absent.
    func strictValue(of entries: EntriesOfKey) throws(ConfigurationReadError) -> Value {
        if let refusal = entries.refusal { throw .refused(refusal) }
        // A value that cannot be read may be secret to its provider.
        let key = canRead(entries.table) ? self : concealed
        do throws(Defaults.ReadError) {
            return try key.strictValue(ofEntries: entries.table, in: ReaderStore.shared) ?? defaultValue
        } catch {
            throw .unreadable(error)
        }
    }
}

/// What errors about values of readers name as their store: a reader has no name, and none of its values is in a store.
private enum ReaderStore {
    static let shared = InMemoryStore(name: "ConfigReader")

    // Bounds the memory of a program that makes keys without end; forgetting only repeats a report.
    private static let mostRemembered = 10_000

    private static let refused = Locked<Set<UTF8Text>>([])

    /// Whether no refusal for that reason was reported for the key before.
    static func isNew(_ refusal: StoreError) -> Bool {
        refused.withLock { refused in
            if refused.count == mostRemembered { refused = [] }
            return refused.insert(UTF8Text(refusal.description)).inserted
        }
    }
}
#endif
