import Keyspan

/// The keys in which two tables differ, each with its values in both.
struct TableDifference {
    /// A key with different values.
    struct Entry: Equatable {
        /// The key; for a value inside a dictionary its path, with dots.
        let key: String
        /// The value in the first table; `nil` if it lacks the key.
        let old: PropertyListValue?
        /// The value in the second table; `nil` if it lacks the key.
        let new: PropertyListValue?
        /// The names that lead to the value, outermost first.
        let path: [String]

        /// Makes an entry; by default the key is that of the table.
        init(key: String, old: PropertyListValue?, new: PropertyListValue?, path: [String]? = nil) {
            (self.key, self.old, self.new) = (key, old, new)
            self.path = path ?? [key]
        }

        /// The differences inside two dictionaries; the entry itself for other values.
        fileprivate var parts: [Entry] {
            guard let before = old?.groupMembers, let after = new?.groupMembers else { return [self] }
            let inside = TableDifference(from: PropertyListTable(before), to: PropertyListTable(after))
            return inside.entries.flatMap { inner in
                Entry(key: "\(key).\(inner.key)", old: inner.old, new: inner.new, path: path + [inner.key]).parts
            }
        }
    }

    /// The differences, by key.
    let entries: [Entry]

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

    /// Compares two tables, and the values inside their dictionaries one by one.
    ///
    /// A write of one value leaves the text around it as it is. A dictionary is one difference if a path in it names another value,
    /// or none.
    init(insideOf first: PropertyListTable, and second: PropertyListTable) {
        entries = TableDifference(from: first, to: second).entries.flatMap { entry -> [Entry] in
            let parts = entry.parts
            let haveOwnNames = parts.allSatisfy { part in
                NestedName(part.key) != nil && first[part.key] == part.old && second[part.key] == part.new
            }
            return haveOwnNames ? parts : [entry]
        }
    }

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
}

extension PropertyListTable {
    /// Replaces or removes the value at the end of a path through dictionaries.
    mutating func replaceValue(at path: [String], by value: PropertyListValue?) {
        guard let key = path.first else { return }
        self[key] = Self.replacing(self[key], at: path.dropFirst(), by: value)
    }

    private static func replacing(
        _ present: PropertyListValue?,
        at path: ArraySlice<String>,
        by value: PropertyListValue?
    ) -> PropertyListValue? {
        guard let name = path.first else { return value }
        var members = present?.dictionaryValue ?? [:]
        members[name] = replacing(members[name], at: path.dropFirst(), by: value)
        return .dictionary(members)
    }
}
