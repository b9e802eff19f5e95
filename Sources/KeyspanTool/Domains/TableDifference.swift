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

        /// Whether the entry and one of another difference from the same table write the same value, and not to the same one.
        func conflicts(with other: Entry) -> Bool {
            guard zip(path, other.path).allSatisfy({ $0.hasSameUTF8(as: $1) }) else { return false }
            return path.count != other.path.count || new != other.new
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

    /// Compares the entries of two tables, and the values inside their dictionaries one by one.
    ///
    /// A write of one value leaves the text around it as it is.
    init(ofEntriesIn first: PropertyListTable, and second: PropertyListTable) {
        let tables = [first, second].map(\.entriesAlone)
        entries = TableDifference(from: tables[0], to: tables[1]).entries.flatMap(\.parts)
    }

    /// The table with the second values, in place of the first ones.
    func applied(to table: PropertyListTable) -> PropertyListTable {
        entries.reduce(into: table.entriesAlone) { $0.replaceValue(at: $1.path, by: $1.new) }
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
    /// The same table, in which each name is that of an entry, so that none leads into a dictionary.
    var entriesAlone: PropertyListTable {
        var table = self
        table.naming = nil
        return table
    }

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
