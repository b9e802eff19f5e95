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
        switch batch.storage {
        case .one(.set(let value, let key)):
            try Self.validate(value, forKey: key, store: store)
            return set(value, forKey: key)
        case .one(let operation):
            return apply(operation)
        case .many(let operations):
            for case .set(let value, let key) in operations {
                try Self.validate(value, forKey: key, store: store)
            }
            return apply(operations)
        }
    }

    /// Applies a batch like ``apply(_:store:)`` when nobody wants to hear what it changed.
    ///
    /// The write of one value, by far the most frequent one, is spared the making of a change.
    ///
    /// - Returns: Whether anything changed.
    mutating func applyUnobserved(_ batch: PropertyListBatch, store: String) throws(StoreError) -> Bool {
        guard batch.expectations.isEmpty, case .one(.set(let value, let key)) = batch.storage else {
            return try !apply(batch, store: store).isEmpty
        }
        try Self.validate(value, forKey: key, store: store)
        return updateValue(value, forKey: key) != value
    }

    /// Checks that a key can be written to any store: not empty, no NUL, and nested no deeper than allowed.
    private static func validate(_ value: PropertyListValue, forKey key: String, store: String) throws(StoreError) {
        if key.isEmpty { throw .invalidKey(key, store: store, reason: "a key cannot be empty") }
        if key.containsNUL { throw .invalidKey(key, store: store, reason: "a key cannot contain a NUL character") }
        if value.isNestedDeeper() { throw .nestingTooDeep(key: key, store: store) }
    }

    private mutating func set(_ value: PropertyListValue, forKey key: String) -> PropertyListChange {
        let old = updateValue(value, forKey: key)
        guard old != value else { return PropertyListChange(entries: []) }
        return PropertyListChange(PropertyListChange.Entry(key: key, old: old, new: value))
    }

    private mutating func apply(_ operation: PropertyListBatch.Operation) -> PropertyListChange {
        switch operation {
        case .set(let value, let key):
            return set(value, forKey: key)
        case .remove(let key):
            guard let old = self[key] else { break }
            self[key] = nil
            return PropertyListChange(PropertyListChange.Entry(key: key, old: old, new: nil))
        case .removeAll:
            let removed = map { PropertyListChange.Entry(key: $0.key, old: $0.value, new: nil) }
            self = PropertyListTable()
            return PropertyListChange(entries: removed)
        }
        return PropertyListChange(entries: [])
    }

    /// Applies several writes, and compares before and after, because one key can be written more than once.
    private mutating func apply(_ operations: [PropertyListBatch.Operation]) -> PropertyListChange {
        let before = self
        var touched: Set<String> = []
        for operation in operations {
            touched.formUnion(apply(operation).entries.lazy.map(\.key))
        }
        return PropertyListChange(
            entries: touched.compactMap { key in
                let (old, new) = (before[key], self[key])
                return old == new ? nil : PropertyListChange.Entry(key: key, old: old, new: new)
            }
        )
    }
}

extension String {
    /// Whether there is a NUL; without a branch for each byte, because every write asks.
    fileprivate var containsNUL: Bool {
        var text = self
        return text.withUTF8 { bytes in
            var least = UInt8.max
            for byte in bytes {
                least = min(least, byte)
            }
            return least == 0
        }
    }
}
