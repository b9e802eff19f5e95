#if Remote
@_spi(StoreAuthors) internal import KeyspanCore

/// The values in force, with which those of another version are compared.
struct RemoteReading: Sendable {
    private let store: String
    private let keys: PublishedKeys

    /// The values in force.
    private(set) var table: PropertyListTable = [:]
    /// The entries in which they differ from those of the reading before.
    private(set) var changes: [PropertyListChange.Entry] = []
    /// The keys that keep an older value, with the problem of the new one.
    private var refused = TextDictionary<String>()
    /// The entries of these keys that have an older value, with its revision.
    private(set) var kept = TextDictionary<Int64>()
    /// The number of versions that were read.
    private var count = 0

    /// Whether all values of the version are in force.
    var isComplete: Bool { refused.isEmpty }

    init(of keys: PublishedKeys, store: String) {
        (self.keys, self.store) = (keys, store)
    }

    /// Whether this has read one version more than another reading.
    func follows(_ other: RemoteReading) -> Bool { count == other.count + 1 }

    /// Takes the values of a version over, but those that their keys cannot read or whose rules they break.
    ///
    /// It calls code of the program: rules and bridges.
    ///
    /// - Parameters:
    ///   - version: The version.
    ///   - before: The version in force before.
    /// - Returns: The values that are refused and were not before.
    mutating func read(_ version: RemoteVersion, after before: RemoteVersion?) -> [RemoteStoreError] {
        count += 1
        changes = []
        var errors: [RemoteStoreError] = []
        for key in keys.keys {
            var entries: PropertyListTable = [:]
            for name in key.entries { entries[name] = version.values[name] }
            let isChange = key.entries.contains { entries[$0] != table[$0] }
            if isChange, !entries.isEmpty, let problem = key.problem(of: entries) {
                // Compared with the value, which the error does not show.
                if refused[key.name]?.hasSameUTF8(as: problem.summary) != true {
                    errors.append(.valueRefused(key.name, Self.words(for: problem), store: store))
                }
                refused[key.name] = problem.summary
                for name in key.entries where table[name] != nil && kept[name] == nil {
                    kept[name] = before?.revision
                }
                continue
            }
            forget(key)
            for name in key.entries {
                let (old, new) = (table[name], entries[name])
                if old == new { continue }
                changes.append(PropertyListChange.Entry(key: name, old: old, new: new))
                table[name] = new
            }
        }
        return errors
    }

    /// Forgets that a key keeps an older value.
    private mutating func forget(_ key: PublishedKey) {
        if isComplete { return }
        refused[key.name] = nil
        for name in key.entries { kept[name] = nil }
    }

    /// The problem without the value.
    private static func words(for problem: Defaults.InvalidValue) -> String {
        switch problem.cause {
        case .unreadable(let error): error.cause.summary
        case .rule(let requirement): "the stored value must be \(requirement)"
        }
    }
}
#endif
