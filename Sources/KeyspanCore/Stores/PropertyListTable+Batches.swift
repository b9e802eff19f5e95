extension PropertyListTable {
    /// Applies a batch as promises 2 and 6 of ``PropertyListStore`` ask: the part that all stores share.
    ///
    /// A store calls this under its lock, on the table that its readers see. Expectations, key names and nesting are
    /// checked before the first write, so that an error leaves the table as it was.
    ///
    /// - Parameters:
    ///   - batch: The writes.
    ///   - store: The store's name, for errors.
    /// - Returns: The change, which has no entries if every write left its key as it was.
    /// - Throws: ``StoreError``, and the table is unchanged.
    @_spi(StoreAuthors)
    public mutating func apply(_ batch: PropertyListBatch, store: String) throws(StoreError) -> PropertyListChange {
        try checkExpectations(of: batch, store: store)
        if case .one(.set(let value, let key)) = batch.storage {
            try Self.validate(value, forKey: key, store: store)
            let old = updateValue(value, forKey: key)
            guard old != value else { return PropertyListChange(entries: [], isQuiet: false) }
            return PropertyListChange(
                PropertyListChange.Entry(key: key, old: old, new: value),
                isQuiet: batch.isQuietNow
            )
        }
        if batch.writesFewKeysOnce {
            var entries: [PropertyListChange.Entry] = []
            try applyEach(batch.storage, store: store) { entries.append(.init(key: $0, old: $1, new: $2)) }
            return PropertyListChange(entries: entries, isQuiet: batch.isQuietNow)
        }
        let replaced = try apply(batch.operations, store: store)
        return PropertyListChange(
            entries: replaced.map { PropertyListChange.Entry(key: $0, old: $1, new: self[$0]) },
            isQuiet: batch.isQuietNow
        )
    }

    /// Applies a batch like ``apply(_:store:)`` for a store without observers.
    ///
    /// It makes no change. The write of one value, by far the most frequent batch, takes one lookup.
    ///
    /// - Returns: Whether anything changed.
    mutating func applyUnobserved(_ batch: PropertyListBatch, store: String) throws(StoreError) -> Bool {
        try checkExpectations(of: batch, store: store)
        if case .one(.set(let value, let key)) = batch.storage {
            try Self.validate(value, forKey: key, store: store)
            return updateValue(value, forKey: key) != value
        }
        if batch.writesFewKeysOnce {
            var isChange = false
            try applyEach(batch.storage, store: store) { _, _, _ in isChange = true }
            return isChange
        }
        return try !apply(batch.operations, store: store).isEmpty
    }

    /// Applies writes of different keys, and calls the body for each that differs; allocates nothing.
    private mutating func applyEach(
        _ operations: OneOrMany<PropertyListBatch.Operation>,
        store: String,
        _ body: (_ key: String, _ old: PropertyListValue?, _ new: PropertyListValue?) -> Void
    ) throws(StoreError) {
        try operations.forEach { (operation) throws(StoreError) in
            if case .set(let value, let key) = operation { try Self.validate(value, forKey: key, store: store) }
        }
        operations.forEach { operation in
            switch operation {
            case .set(let value, let key):
                let old = updateValue(value, forKey: key)
                if old != value { body(key, old, value) }
            case .remove(let key):
                if let old = removeValue(forKey: key) { body(key, old, nil) }
            case .removeAll: break
            }
        }
    }

    private func checkExpectations(of batch: PropertyListBatch, store: String) throws(StoreError) {
        try batch.expected.forEach { (expectation) throws(StoreError) in
            guard self[expectation.key] == expectation.value else {
                throw .conflict(key: expectation.key, store: store)
            }
        }
    }

    /// Checks that a key can be written to any store: not empty, no NUL, and nested no deeper than allowed.
    private static func validate(_ value: PropertyListValue, forKey key: String, store: String) throws(StoreError) {
        if key.isEmpty { throw .invalidKey(key, store: store, reason: "a key cannot be empty") }
        if key.containsNUL { throw .invalidKey(key, store: store, reason: "a key cannot contain a NUL character") }
        if value.isNestedDeeper() { throw .nestingTooDeep(key: key, store: store) }
    }

    /// Applies writes, and answers what the keys that differ had before.
    ///
    /// One key can be written more than once, and can have its old value again in the end.
    private mutating func apply(
        _ operations: [PropertyListBatch.Operation],
        store: String
    ) throws(StoreError) -> TextDictionary<PropertyListValue?> {
        for case .set(let value, let key) in operations {
            try Self.validate(value, forKey: key, store: store)
        }
        var replaced = TextDictionary<PropertyListValue?>(minimumCapacity: operations.count)
        for operation in operations {
            switch operation {
            case .set(let value, let key):
                let old = updateValue(value, forKey: key)
                if old != value, replaced[key] == nil { replaced[key] = .some(old) }
            case .remove(let key):
                guard let old = removeValue(forKey: key) else { continue }
                if replaced[key] == nil { replaced[key] = .some(old) }
            case .removeAll:
                for (key, old) in self where replaced[key] == nil { replaced[key] = .some(old) }
                self = PropertyListTable()
            }
        }
        return replaced.filter { $0.value != self[$0.key] }
    }
}

extension String {
    /// Whether there is a NUL; eight bytes at a time and without a copy of the text, because every write asks.
    fileprivate var containsNUL: Bool {
        utf8.withContiguousStorageIfAvailable { UnsafeRawBufferPointer($0).containsZero } ?? utf8.contains(0)
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var containsZero: Bool {
        var index = 0
        while index + 8 <= count {
            let word = loadUnaligned(fromByteOffset: index, as: UInt64.self)
            // A borrow into the upper bit of a byte that did not have it comes from a zero, of this byte or a lower one.
            if (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 != 0 { return true }
            index += 8
        }
        while index < count {
            if self[index] == 0 { return true }
            index += 1
        }
        return false
    }
}
