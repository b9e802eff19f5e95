@_spi(StoreAuthors) import KeyspanCore

/// Names that are distinct to a store but equal to Foundation.
///
/// `UserDefaults` and iCloud are read and written as dictionaries with `String` names, for which "é" and "e" with U+0301 are
/// equal. The second name would silently replace the first, so it is rejected.
enum EqualNames {
    /// Rejects a batch that writes a name equal to another one, as a key or inside a value.
    ///
    /// Costs O(*n*) in the number of keys for a batch that adds a key, and almost nothing for any other.
    static func check(
        _ batch: PropertyListBatch,
        over contents: borrowing CommittedTable,
        store: String
    ) throws(StoreError) {
        var table: PropertyListTable?
        for operation in batch.operations {
            switch operation {
            case .set(let value, let key):
                if value.hasEqualNames(levels: PropertyListValue.maximumNesting) {
                    throw .equalNames(
                        key: key,
                        store: store,
                        reason: "the value has two names that Foundation treats as equal"
                    )
                }
                let replaced = if let table { table[key] } else { contents.value(forKey: key) }
                if replaced == nil {
                    let present = table ?? contents.snapshot()
                    if present.contains(where: { $0.key == key && !$0.key.hasSameUTF8(as: key) }) {
                        throw .equalNames(
                            key: key,
                            store: store,
                            reason: "Foundation treats the key as equal to another one, whose bytes differ"
                        )
                    }
                    table = present
                }
                if batch.writes.count > 1 { table = table ?? contents.snapshot() }
                table?[key] = value
            case .remove(let key):
                table = table ?? contents.snapshot()
                table?[key] = nil
            case .removeAll: table = [:]
            }
        }
    }
}

extension PropertyListValue {
    /// Whether a dictionary in the value has two names that are equal to `String`.
    fileprivate func hasEqualNames(levels: Int) -> Bool {
        switch self {
        // The store rejects deeper values anyway.
        case .array(let elements): levels > 0 && elements.contains { $0.hasEqualNames(levels: levels - 1) }
        case .dictionary(let entries):
            levels > 0
                && (Set<String>(entries.keys).count < entries.count
                    || entries.values.contains { $0.hasEqualNames(levels: levels - 1) })
        case .boolean, .integer, .real, .string, .date, .data: false
        }
    }
}

extension StoreError {
    fileprivate static func equalNames(key: String, store: String, reason: String) -> StoreError {
        StoreError(
            .unsupportedValue,
            store: store,
            key: key,
            reason: reason,
            remedy: "choose a name that differs in more than its Unicode spelling, or use a file store"
        )
    }
}
