/// The difference between two tables: values to set and keys to remove.
package struct TableDelta: Sendable, Hashable {
    /// The keys that are written, each with its new value; `nil` removes the key.
    package private(set) var writes: TextDictionary<PropertyListValue?> = [:]

    /// Makes a delta that changes nothing.
    package init() {}

    /// Makes the difference between two tables.
    ///
    /// - Complexity: O(*n*); for two tables over the same document, in the number of keys written since it was read.
    package init(from old: PropertyListTable, to new: PropertyListTable) {
        old.forEachDifference(to: new) { key, _, value in
            writes[key] = .some(value)
            return true
        }
    }

    /// Whether it changes nothing.
    package var isEmpty: Bool { writes.isEmpty }

    /// Whether it writes a key.
    package func writes(_ key: String) -> Bool { writes[key] != nil }

    /// Adds a write, in place of an earlier one to the same key.
    ///
    /// - Returns: Whether there was none.
    @discardableResult
    package mutating func write(_ value: PropertyListValue?, forKey key: String) -> Bool {
        writes.updateValue(value, forKey: key) == nil
    }

    /// Removes a write.
    package mutating func forget(_ key: String) {
        writes[key] = nil
    }

    /// Adds the writes of a later delta, which replace earlier ones to the same keys.
    package mutating func append(_ later: TableDelta) {
        if writes.isEmpty {
            writes = later.writes
        } else {
            writes.merge(later.writes) { $1 }
        }
    }
}

extension PropertyListTable {
    /// Applies the writes of a delta.
    package mutating func apply(_ delta: TableDelta) {
        for (key, value) in delta.writes {
            self[key] = value
        }
    }
}

extension PropertyListTable {
    /// Applies the writes of a delta, and returns the changes.
    package mutating func changes(by delta: TableDelta) -> [PropertyListChange.Entry] {
        var entries: [PropertyListChange.Entry] = []
        for (key, value) in delta.writes {
            let old = self[key]
            guard old != value else { continue }
            self[key] = value
            entries.append(PropertyListChange.Entry(key: key, old: old, new: value))
        }
        return entries
    }
}
