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
        try check(batch, store: store)
        if batch.writes.count == 1, !batch.writes.first.removesAll {
            let (key, new) = (batch.writes.first.key, batch.writes.first.value)
            let old = replaceValue(ofKey: key, by: new)
            guard old != new else { return PropertyListChange(entries: [], isQuiet: false) }
            return PropertyListChange(PropertyListChange.Entry(key: key, old: old, new: new), isQuiet: batch.isQuietNow)
        }
        if batch.writes.areOfFewKeysOnce {
            var entries: [PropertyListChange.Entry] = []
            batch.writes.forEach { write in
                let old = replaceValue(ofKey: write.key, by: write.value)
                if old != write.value { entries.append(.init(key: write.key, old: old, new: write.value)) }
            }
            return PropertyListChange(entries: entries, isQuiet: batch.isQuietNow)
        }
        let replaced = apply(batch.writes)
        return PropertyListChange(
            entries: replaced.map { PropertyListChange.Entry(key: $0, old: $1, new: entry($0)) },
            isQuiet: batch.isQuietNow
        )
    }

    /// Applies a batch like ``applyNamed(_:store:isPlain:)``, but makes no change of it.
    ///
    /// Few plain writes of different keys allocate nothing, and each takes one lookup. Dictionaries around names are changed in place.
    ///
    /// - Returns: The kind of change.
    mutating func applyUnobserved(
        _ batch: PropertyListBatch,
        store: String,
        isPlain: Bool
    ) throws(StoreError) -> UnobservedEffect {
        try check(batch, store: store)
        guard isPlain else {
            var names = ChangedNames()
            applyWrites(of: batch, noting: &names) { _ in }
            return names.isEmpty ? .none : .ofNames(names)
        }
        let isNamed = naming != nil
        guard batch.writes.areOfFewKeysOnce else {
            if apply(batch.writes).isEmpty { return .none }
            return isNamed ? .ofDictionaries : .ofEntries
        }
        var effect = UnobservedEffect.none
        batch.writes.forEach { write in
            let old = replaceValue(ofKey: write.key, by: write.value)
            if old == write.value { return }
            if case .none = effect { effect = .ofEntries }
            if isNamed, old?.dictionaryValue != nil || write.value?.dictionaryValue != nil { effect = .ofDictionaries }
        }
        return effect
    }

    /// The kind of change that a batch made.
    enum UnobservedEffect {
        case none
        case ofEntries
        /// Of dictionaries, which further names may lead into.
        case ofDictionaries
        /// Of names that lead into dictionaries.
        case ofNames(ChangedNames)

        var isNone: Bool { if case .none = self { true } else { false } }
    }

    private func check(_ batch: PropertyListBatch, store: String) throws(StoreError) {
        if !batch.expected.isEmpty { try checkExpectations(of: batch, store: store) }
        try batch.writes.forEach { (write) throws(StoreError) in
            if write.storesValue { try Self.validate(write, store: store) }
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
    private static func validate(_ write: borrowing PropertyListBatch.Write, store: String) throws(StoreError) {
        let key = write.key
        if key.isEmpty { throw .invalidKey(key, store: store, reason: "a key cannot be empty") }
        if key.containsNUL { throw .invalidKey(key, store: store, reason: "a key cannot contain a NUL character") }
        if write.isNestedTooDeep { throw .nestingTooDeep(key: key, store: store) }
    }

    /// Applies writes, and answers what the keys that differ had before.
    ///
    /// One key can be written more than once, and can have its old value again in the end.
    private mutating func apply(_ writes: PropertyListBatch.Writes) -> TextDictionary<PropertyListValue?> {
        var replaced = TextDictionary<PropertyListValue?>(minimumCapacity: writes.count)
        writes.forEach { write in
            if write.removesAll {
                for (key, old) in self where replaced[key] == nil { replaced[key] = .some(old) }
                removeAll()
            } else {
                let old = replaceValue(ofKey: write.key, by: write.value)
                if old != write.value, replaced[write.key] == nil { replaced[write.key] = .some(old) }
            }
        }
        return replaced.filter { $0.value != entry($0.key) }
    }

    /// Removes all entries.
    package mutating func removeAll() {
        let naming = naming
        self = PropertyListTable()
        self.naming = naming
    }
}

/// Batches whose names may lead into dictionaries.
extension PropertyListTable {
    /// Whether each write of a batch is of an entry, and so needs no place.
    func isPlain(_ batch: PropertyListBatch) -> Bool {
        if naming == nil { return true }
        var isPlain = true
        batch.writes.forEach { write in
            if case .dictionary? = write.value { isPlain = false }
            // Of what the batch removes first, no entry says where a name goes.
            if write.removesAll, batch.writes.count > 1 { isPlain = false }
            if !write.key.utf8.contains(GroupNames.dot) { return }
            // A present entry counts whatever else the name leads to; to find that would take an allocation.
            if write.storesValue, entry(write.key) != nil, naming?.deepestCounts == false { return }
            isPlain = isPlain && isEntryAlone(write.key)
        }
        return isPlain
    }

    /// Applies a batch where its names lead.
    ///
    /// - Parameters:
    ///   - batch: The writes.
    ///   - store: The store's name, for errors.
    ///   - isPlain: The answer of ``isPlain(_:)``, if the caller has asked.
    /// - Returns: The change of entries.
    /// - Throws: ``StoreError``, and the table is unchanged.
    package mutating func applyNamed(
        _ batch: PropertyListBatch,
        store: String,
        isPlain: Bool? = nil
    ) throws(StoreError) -> PropertyListChange {
        if isPlain ?? self.isPlain(batch) {
            let change = try apply(batch, store: store)
            return change.isEmpty ? change : change.inside(self)
        }
        try check(batch, store: store)
        var (table, keys, names) = (self, Set<UTF8Text>(), ChangedNames())
        table.applyWrites(of: batch, noting: &names) { keys.insert($0) }
        let change = PropertyListChange(entries: changes(of: keys, to: table), isQuiet: batch.isQuietNow)
            .inside(self, table, names)
        self = table
        return change
    }

    private mutating func applyWrites(
        of batch: PropertyListBatch,
        noting names: inout ChangedNames,
        _ noteEntry: (UTF8Text) -> Void
    ) {
        batch.writes.forEach { write in
            if write.removesAll {
                for key in unsortedKeys { noteEntry(UTF8Text(key)) }
                names.insertAll()
                return removeAll()
            }
            set(write.value, named: write.key) { name, old in
                let new = name.hasSameUTF8(as: write.key) ? write.value : nil
                if old == new { return }
                for group in name.beginningsBeforeDots {
                    noteEntry(group)
                    names.insert(group.wrappedValue)
                }
                noteEntry(UTF8Text(name))
                names.insert(name, old, new)
            }
        }
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
