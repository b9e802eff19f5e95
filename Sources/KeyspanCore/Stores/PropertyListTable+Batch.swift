extension PropertyListTable {
    /// Applies a batch as promises 2 and 6 of ``PropertyListStore`` ask: the part that all stores share.
    ///
    /// A store calls this under its lock, on the table that its readers see. Expectations, key names and nesting are
    /// checked before the first write, so that an error leaves the table as it was.
    ///
    /// - Parameters:
    ///   - batch: The writes.
    ///   - store: The store's name, for errors.
    /// - Returns: What changed. It has no entries if every write left its key as it was.
    /// - Throws: ``StoreError``, and the table is unchanged.
    public mutating func apply(_ batch: PropertyListBatch, store: String) throws(StoreError) -> PropertyListChange {
        for expectation in batch.expectations where self[expectation.key] != expectation.value {
            throw .conflict(key: expectation.key, store: store)
        }
        for case .set(let value, let key) in batch.operations {
            try Self.validate(value, forKey: key, store: store)
        }
        if batch.operations.count == 1, let operation = batch.operations.first {
            return PropertyListChange(entries: apply(operation))
        }
        return applyAll(batch.operations)
    }

    /// Checks that a key can be written to any store: not empty, no NUL, and nested no deeper than allowed.
    private static func validate(_ value: PropertyListValue, forKey key: String, store: String) throws(StoreError) {
        if key.isEmpty { throw .invalidKey(key, store: store, reason: "a key cannot be empty") }
        if key.utf8.contains(0) { throw .invalidKey(key, store: store, reason: "a key cannot contain a NUL character") }
        if value.isNestedDeeper() { throw .nestingTooDeep(key: key, store: store) }
    }

    private mutating func applyAll(_ operations: [PropertyListBatch.Operation]) -> PropertyListChange {
        let before = self
        var touched: Set<String> = []
        for operation in operations {
            touched.formUnion(apply(operation).lazy.map(\.key))
        }
        return PropertyListChange(
            entries: touched.compactMap { key in
                let (old, new) = (before[key], self[key])
                return old == new ? nil : PropertyListChange.Entry(key: key, old: old, new: new)
            }
        )
    }

    private mutating func apply(_ operation: PropertyListBatch.Operation) -> [PropertyListChange.Entry] {
        switch operation {
        case .set(let value, let key):
            let old = updateValue(value, forKey: key)
            return old == value ? [] : [PropertyListChange.Entry(key: key, old: old, new: value)]
        case .remove(let key):
            guard let old = self[key] else { return [] }
            self[key] = nil
            return [PropertyListChange.Entry(key: key, old: old, new: nil)]
        case .removeAll:
            let removed = map { PropertyListChange.Entry(key: $0.key, old: $0.value, new: nil) }
            self = PropertyListTable()
            return removed
        }
    }
}
