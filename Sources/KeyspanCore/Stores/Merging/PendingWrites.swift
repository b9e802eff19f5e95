/// The writes of this process that are not in the store's backing yet, in the shortest form with the same effect.
///
/// However often a key is written, it has one entry, so that memory does not grow while a disk is full or a server is away.
package struct PendingWrites: Sendable {
    /// Whether all present keys are removed before ``delta`` is applied.
    package private(set) var removesAll = false
    /// The last write of each key behind that.
    package private(set) var delta = TableDelta()

    private var hasDictionaries = false
    // The names of dictionaries that written names may lead into.
    private var groups: Set<UTF8Text> = []
    // The names of entries around which others are written, so that they are not nested where these are gone.
    private var entryNames: Set<UTF8Text> = []

    /// Makes no writes.
    package init() {}

    /// Makes the writes of a batch.
    package init(_ batch: PropertyListBatch) {
        append(batch)
    }

    /// Whether names may lead into values that other writes change.
    package var mayOverlap: Bool { hasDictionaries || !groups.isEmpty }

    /// Whether there are none.
    package var isEmpty: Bool { !removesAll && delta.isEmpty }

    /// Adds the writes of a batch.
    package mutating func append(_ batch: PropertyListBatch) {
        batch.writes.forEach { write in
            if write.removesAll {
                self = PendingWrites()
                removesAll = true
            } else {
                note(write.value, forKey: write.key)
            }
        }
    }

    /// Adds the writes of a batch that a table has.
    ///
    /// Of names that lead into one another, each has the value that it has in the table then, so that the order of the writes does not
    /// matter.
    package mutating func append(_ batch: PropertyListBatch, in table: PropertyListTable, isPlain: Bool) {
        append(batch)
        if table.naming == nil || (isPlain || batch.isOfOneScalar) && !overlaps(batch, in: table) { return }
        batch.writes.forEach { write in
            if !write.removesAll { update(write.key, writing: write.value, in: table) }
        }
    }

    private func overlaps(_ batch: PropertyListBatch, in table: PropertyListTable) -> Bool {
        if groups.isEmpty, !hasDictionaries { return false }
        var overlaps = false
        batch.writes.forEach { write in
            if groups.contains(write.key) { overlaps = true }
            guard hasDictionaries, write.key.utf8.contains(GroupNames.dot) else { return }
            // A value in a dictionary is written after that.
            if table.find(write.key)?.place.path.isEmpty != false { overlaps = true }
        }
        return overlaps
    }

    private mutating func update(_ key: String, writing value: PropertyListValue?, in table: PropertyListTable) {
        var names = Set(key.namesInside(value))
        if groups.contains(key) {
            for name in keys where name.hasUTF8Prefix(key + ".") { names.insert(name) }
        }
        for group in key.beginningsBeforeDots where delta.writes(group.wrappedValue) { names.insert(group) }
        for name in names { update(name.wrappedValue, in: table) }
    }

    private mutating func update(_ name: String, in table: PropertyListTable) {
        let value = table[name]
        note(value, forKey: name)
        let isEntry =
            value != nil && name.utf8.contains(GroupNames.dot) && table.find(name)?.place.path.isEmpty == true
            && name.beginningsBeforeDots.contains { delta.writes($0.wrappedValue) }
        if isEntry { entryNames.insert(name) } else { entryNames.remove(UTF8Text(name)) }
    }

    /// Adds later writes.
    package mutating func append(_ later: PendingWrites) {
        if later.removesAll || isEmpty {
            self = later
            return
        }
        delta.append(later.delta)
        hasDictionaries = hasDictionaries || later.hasDictionaries
        groups.formUnion(later.groups)
        entryNames.formUnion(later.entryNames)
    }

    /// Adds later writes; a table has these and the present ones.
    package mutating func append(_ later: PendingWrites, in table: PropertyListTable) {
        append(later)
        if mayOverlap { for key in keys { update(key, in: table) } }
    }

    private mutating func note(_ value: PropertyListValue?, forKey key: String) {
        if delta.write(value, forKey: key) { groups.formUnion(key.beginningsBeforeDots) }
        if case .dictionary? = value { hasDictionaries = true }
    }

    /// Whether these writes determine the value of a key, whatever others wrote before.
    package func decides(_ key: String) -> Bool {
        removesAll || delta.writes(key)
    }

    /// Whether these writes may change the value to which a name leads: they write it, one that it leads into, or one that leads into it.
    package func reaches(_ name: String) -> Bool {
        decides(name) || groups.contains(name) || name.beginningsBeforeDots.contains { delta.writes($0.wrappedValue) }
    }

    /// The keys that are written, without those that a removal of all keys removes.
    package var keys: [String] { Array(delta.writes.keys) }

    /// The writes, those of dictionaries before those of names in them.
    var ordered: [(key: String, value: PropertyListValue?)] {
        let writes = delta.writes.map { (key: $0.key, value: $0.value) }
        return mayOverlap ? writes.sorted { $0.key.utf8Precedes($1.key) } : writes
    }

    /// Whether a dictionary around a name is written.
    fileprivate func isInside(_ name: String) -> Bool {
        mayOverlap && name.beginningsBeforeDots.contains { delta.writes[$0.wrappedValue]??.dictionaryValue != nil }
    }

    /// Whether a name is that of an entry, although one around it is written.
    fileprivate func isEntry(_ name: String) -> Bool { entryNames.contains(name) }

    /// The entries of a table that the writes may change.
    package func entries(of table: PropertyListTable) -> Set<UTF8Text> {
        var entries: Set<UTF8Text> = []
        for (key, value) in delta.writes { entries.formUnion(key.entries(changedByWriting: value)) }
        if removesAll { entries.formUnion(table.unsortedKeys.lazy.map { UTF8Text($0) }) }
        return entries
    }

    /// The effect of these writes on a table whose names are those of entries.
    package func delta(over table: PropertyListTable) -> TableDelta {
        guard removesAll else { return delta }
        var whole = TableDelta(from: table, to: PropertyListTable())
        whole.append(delta)
        return whole
    }
}

extension PropertyListBatch {
    /// Whether it is one write, in which no name leads anywhere.
    fileprivate var isOfOneScalar: Bool { writes.count == 1 && writes.first.value?.dictionaryValue == nil }

    /// The entries of a table that the writes may change, also those that only the first of several writes changes.
    func entries(of table: PropertyListTable) -> Set<UTF8Text> {
        var entries: Set<UTF8Text> = []
        writes.forEach { write in
            if write.removesAll {
                for key in table.unsortedKeys { entries.insert(key) }
            } else {
                entries.formUnion(write.key.entries(changedByWriting: write.value))
            }
        }
        return entries
    }
}

extension PropertyListTable {
    /// Applies writes where their names lead.
    package mutating func apply(_ writes: PendingWrites) {
        if writes.removesAll { removeAll() }
        for (key, value) in writes.ordered {
            if writes.isInside(key), self[key] == value { continue }
            set(value, named: key, nestingIfNew: writes.isEntry(key) ? false : nil)
        }
    }

    /// Applies the writes of a batch where their names lead, without any check.
    ///
    /// - Returns: The names that are written; for a removal of all keys, those of the entries.
    @discardableResult
    package mutating func applyWrites(of batch: PropertyListBatch) -> Set<UTF8Text> {
        var names: Set<UTF8Text> = []
        batch.writes.forEach { write in
            if write.removesAll {
                for key in unsortedKeys { names.insert(key) }
                removeAll()
            } else {
                names.formUnion(write.key.namesInside(write.value))
                set(write.value, named: write.key)
            }
        }
        return names
    }

    /// The changes of entries to another table, of which only some may differ.
    package func changes(of keys: Set<UTF8Text>, to other: PropertyListTable) -> [PropertyListChange.Entry] {
        keys.compactMap { key in
            let (old, new) = (entry(key.wrappedValue), other.entry(key.wrappedValue))
            return old == new ? nil : PropertyListChange.Entry(key: key.wrappedValue, old: old, new: new)
        }
    }
}

extension String {
    /// The keys of the entries that a write by this name may change.
    package func entries(changedByWriting value: PropertyListValue?) -> Set<UTF8Text> {
        namesInside(value).reduce(into: []) { $0.formUnion($1.wrappedValue.beginningsBeforeDots + [$1]) }
    }

    /// The name and those that lead to values in a dictionary.
    fileprivate func namesInside(_ value: PropertyListValue?) -> [UTF8Text] {
        [UTF8Text(self)]
            + (value?.dictionaryValue ?? [:]).flatMap { member, value in
                GroupNames.name(of: member, in: self)?.namesInside(value) ?? []
            }
    }

    /// The beginnings before the dots, if the name can lead into dictionaries.
    package var beginningsBeforeDots: [UTF8Text] {
        guard GroupNames.canLeadInside(self) else { return [] }
        return utf8.indices.lazy.filter { utf8[$0] == GroupNames.dot }.map { UTF8Text(String(self[..<$0])) }
    }
}
