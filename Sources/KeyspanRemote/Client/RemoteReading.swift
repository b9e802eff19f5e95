#if Remote || canImport(CryptoKit)
@_spi(StoreAuthors) internal import KeyspanCore

/// The values in force, with which those of another version are compared.
struct RemoteReading: Sendable {
    private let store: String
    private let keys: PublishedKeys

    /// The values in force.
    private(set) var table: PropertyListTable = [:]
    /// The keys that keep an older value, with the problem of the new one.
    private var refused = TextDictionary<String>()

    /// Whether all values of the version are in force.
    var isComplete: Bool { refused.isEmpty }

    init(of keys: PublishedKeys, store: String) {
        (self.keys, self.store) = (keys, store)
    }

    /// Takes the values of a version over, but those that their keys cannot read or whose rules they break.
    ///
    /// - Returns: The values that are refused and were not before.
    mutating func read(_ version: RemoteVersion) -> [RemoteStoreError] {
        var errors: [RemoteStoreError] = []
        for key in keys.keys {
            let names = key.entryNames
            var entries: PropertyListTable = [:]
            for name in names { entries[name] = version.values[name] }
            if names.allSatisfy({ entries[$0] == table[$0] }) {
                refused[key.name] = nil
                continue
            }
            if !entries.isEmpty, let problem = PublishedKeys.problem(of: key, in: entries) {
                if refused[key.name]?.hasSameUTF8(as: problem) != true {
                    errors.append(.valueRefused(key.name, reason: problem, store: store))
                }
                refused[key.name] = problem
                continue
            }
            refused[key.name] = nil
            for name in names { table[name] = entries[name] }
        }
        return errors
    }
}
#endif
