import Keyspan

/// The keys in which two tables differ, each with its values in both.
struct TableDifference {
    /// A key with different values.
    struct Entry: Equatable {
        /// The key.
        let key: String
        /// The value in the first table; `nil` if it lacks the key.
        let old: PropertyListValue?
        /// The value in the second table; `nil` if it lacks the key.
        let new: PropertyListValue?
    }

    /// The differences, by key.
    let entries: [Entry]

    /// The same keys without the values that masks hide.
    func masked(by masks: [SecretMask]) -> TableDifference {
        TableDifference(
            entries: entries.map { entry in
                func masked(_ value: PropertyListValue?) -> PropertyListValue? {
                    value.map { masks.reduce($0) { $1.masked($0, ofKey: entry.key) } }
                }
                return Entry(key: entry.key, old: masked(entry.old), new: masked(entry.new))
            }
        )
    }

    private init(entries: [Entry]) {
        self.entries = entries
    }

    /// Compares two tables.
    init(from first: PropertyListTable, to second: PropertyListTable) {
        let keys = Set<UTF8Text>(first.sortedKeys).union(Set<UTF8Text>(second.sortedKeys))
        entries = keys.sortedTexts().compactMap { key in
            first[key] == second[key] ? nil : Entry(key: key, old: first[key], new: second[key])
        }
    }
}
