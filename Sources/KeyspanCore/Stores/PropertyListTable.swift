internal import HashTreeCollections

/// Keys and their values as one value: what a store holds, and what its snapshots are.
///
/// Keys are the same if their UTF-8 is, so "é" and "e" with U+0301 are two keys.
///
/// A copy is O(1) and independent of the original; a write to a table of which copies are held costs O(log *n*), not a
/// copy of the table. The entries are in a persistent hash tree (`TreeDictionary` of swift-collections). In the table of a file,
/// the tree has only what was written since the file was read; the other values are read from the file's text when they are asked
/// for.
public struct PropertyListTable: Sendable, Hashable {
    // The value of each key that was written; nil hides an entry of the document.
    private var tree: TreeDictionary<UTF8Text, PropertyListValue?>

    /// The entries under those of the tree.
    package let document: (any TableDocument)?

    /// How names with dots lead to members of dictionaries; `nil` if each name is that of an entry.
    package var naming: NestedNaming?

    /// How the entries are listed; `nil` if each is one of the list.
    package var listing: EntryListing?

    /// The number of keys.
    public var count: Int { listing == nil ? entryCount : listed.entryCount }

    private var entryCount: Int

    // The extents of values that contain text; `nil` if none does, so that a table without text pays nothing for it.
    private var texts: TreeDictionary<UTF8Text, TextExtent>?

    /// Makes an empty table.
    package init() {
        tree = [:]
        document = nil
        entryCount = 0
    }

    /// Makes a table from a dictionary of Swift.
    public init(_ values: [String: PropertyListValue]) {
        self.init(PropertyListDictionary(values))
    }

    /// Makes a table from a dictionary.
    public init(_ values: PropertyListDictionary) {
        tree = TreeDictionary(values.entries.mapValues(Optional.some))
        document = nil
        entryCount = values.count
    }

    /// Makes the table of a document's entries; O(1).
    package init(_ document: any TableDocument) {
        tree = [:]
        self.document = document
        entryCount = document.count
    }

    /// The same keys and values, each of them marked as text that someone typed; O(*n*).
    ///
    /// It is for stores whose source has nothing but text, such as environment variables.
    @_spi(StoreAuthors) public var markedAsText: PropertyListTable {
        var table = self
        table.texts = isEmpty ? nil : TreeDictionary(uniqueKeysWithValues: lazy.map { (UTF8Text($0.key), .whole) })
        return table
    }

    /// The same keys and values, none of them marked as text that someone typed; O(1).
    var markedAsNoText: PropertyListTable {
        var table = self
        table.texts = nil
        return table
    }

    /// Whether the table has no keys.
    public var isEmpty: Bool { count == 0 }

    /// The keys, sorted by their UTF-8.
    public var sortedKeys: [String] { unsortedKeys.map { UTF8Text($0) }.sorted().map(\.wrappedValue) }

    /// The keys, in no particular order; no value of a file's text is read.
    package var unsortedKeys: [String] {
        if listing != nil { return listed.unsortedKeys }
        var keys: [String] = []
        keys.reserveCapacity(entryCount)
        for (key, value) in tree where value != nil { keys.append(key.wrappedValue) }
        guard let document else { return keys }
        for place in 0..<document.placeCount {
            guard let key = document.presentKey(at: place) else { continue }
            if tree.isEmpty || tree[UTF8Text(key)] == nil { keys.append(key) }
        }
        return keys
    }

    /// The value of a key; `nil` removes it.
    ///
    /// A value set this way is not text that someone typed.
    public subscript(key: String) -> PropertyListValue? {
        get { naming == nil ? entry(key) : value(named: key) }
        set {
            set(newValue, named: key)
        }
    }

    /// The value of the entry with a key, whatever names lead to.
    package func entry(_ key: String) -> PropertyListValue? {
        // A lookup in an empty tree would hash the key.
        if !tree.isEmpty, let written = tree[UTF8Text(key)] { return written }
        return document?.value(forKey: key)
    }

    /// Stores the value of an entry, or removes it for `nil`, whatever names lead to.
    package mutating func setEntry(_ key: String, to value: PropertyListValue?) {
        _ = replaceValue(ofKey: key, by: value)
    }

    /// The value of a key with whether it is text that someone typed; `nil` removes it.
    @_spi(StoreAuthors) public subscript(stored key: String) -> StoredValue? {
        get {
            guard let value = self[key] else { return nil }
            return StoredValue(value, extent: extent(of: key))
        }
        set {
            self[key] = newValue?.value
            note(newValue, ofKey: key)
        }
    }

    /// Stores the value of an entry with whether it is text, whatever names lead to.
    mutating func setStoredEntry(_ key: String, to value: StoredValue?) {
        setEntry(key, to: value?.value)
        note(value, ofKey: key)
    }

    private mutating func note(_ value: StoredValue?, ofKey key: String) {
        guard let value, value.isText else { return }
        texts = texts ?? [:]
        texts?[UTF8Text(key)] = value.extent
    }

    /// The keys with their values and whether these are text, in no particular order.
    var storedValues: some Sequence<(key: String, value: StoredValue)> {
        lazy.map { (key: $0.key, value: StoredValue($0.value, extent: extent(of: $0.key))) }
    }

    private func extent(of key: String) -> TextExtent {
        texts?[UTF8Text(key)] ?? .none
    }

    /// Stores a value and answers what was there before.
    ///
    /// - Parameters:
    ///   - value: The new value.
    ///   - key: Its key.
    /// - Returns: The value that was there, or `nil` for a new key.
    @discardableResult
    @_spi(StoreAuthors)
    public mutating func updateValue(_ value: PropertyListValue, forKey key: String) -> PropertyListValue? {
        replaceValue(ofKey: key, by: value)
    }

    /// Removes a key and answers what it had; `nil` if there was none of that name.
    mutating func removeValue(forKey key: String) -> PropertyListValue? {
        replaceValue(ofKey: key, by: nil)
    }

    /// Stores a value, or removes the key for `nil`, and answers what was there before.
    mutating func replaceValue(ofKey key: String, by value: PropertyListValue?) -> PropertyListValue? {
        let key = UTF8Text(key)
        texts?[key] = nil
        let old: PropertyListValue?
        let isPresent = if case .some = value { true } else { false }
        if isPresent {
            old = tree.updateValue(value, forKey: key) ?? document?.value(forKey: key.wrappedValue)
        } else if let document, document.hasValue(forKey: key.wrappedValue) {
            old = tree.updateValue(nil, forKey: key) ?? document.value(forKey: key.wrappedValue)
        } else {
            old = tree.removeValue(forKey: key) ?? nil
        }
        let wasPresent = if case .some = old { true } else { false }
        entryCount += (isPresent ? 1 : 0) - (wasPresent ? 1 : 0)
        return old
    }

    /// Changes the value of an entry to another one, in place if no other table has it.
    mutating func changeEntry(_ key: String, _ change: (inout PropertyListValue?) -> Void) {
        let name = UTF8Text(key)
        texts?[name] = nil
        var value = tree.updateValue(nil, forKey: name) ?? document?.value(forKey: key)
        if case .none = value { entryCount += 1 }
        change(&value)
        tree[name] = .some(value)
    }

    /// The same keys and values as a dictionary; O(*n*).
    package var dictionary: PropertyListDictionary {
        PropertyListDictionary(self)
    }
}

extension PropertyListTable {
    /// Whether two tables have the same keys and values, and mark the same values as text that someone typed.
    func hasSameStoredValues(as other: Self) -> Bool {
        (texts ?? [:]) == (other.texts ?? [:]) && self == other
    }

    /// Whether two tables have the same keys and values; whether a value is text makes no difference here.
    @_spi(StoreAuthors) public static func == (left: Self, right: Self) -> Bool {
        if left.listing != nil || right.listing != nil { return left.listed == right.listed }
        guard left.count == right.count else { return false }
        if left.document == nil, right.document == nil { return left.tree == right.tree }
        var isEqual = true
        left.forEachDifference(to: right) { _, _, _ in
            isEqual = false
            return false
        }
        return isEqual
    }

    @_spi(StoreAuthors) public func hash(into hasher: inout Hasher) {
        // The same for every order of the entries.
        var sum = 0
        for (key, value) in self {
            var entry = Hasher()
            entry.combine(UTF8Text(key))
            entry.combine(value)
            sum ^= entry.finalize()
        }
        hasher.combine(count)
        hasher.combine(sum)
    }

    /// Finds the keys whose values differ in another table, in no particular order and each once.
    ///
    /// Entries of the same document or with the same text are not read, so that the difference between a file's table and one
    /// made from it costs as much as what was written since.
    ///
    /// - Parameters:
    ///   - other: The other table.
    ///   - body: Called with each key, its value here and its value there; returns whether to go on.
    package func forEachDifference(
        to other: PropertyListTable,
        _ body: (_ key: String, _ here: PropertyListValue?, _ there: PropertyListValue?) -> Bool
    ) {
        if listing != nil || other.listing != nil { return listed.forEachDifference(to: other.listed, body) }
        if document === other.document {
            // Unchanged copies of one table compare equal without a look at each entry.
            if tree == other.tree { return }
        } else if !forEachDifferenceOfDocuments(to: other, body) {
            return
        }
        for (key, _) in tree {
            let (here, there) = (entry(key.wrappedValue), other.entry(key.wrappedValue))
            if here != there, !body(key.wrappedValue, here, there) { return }
        }
        for (key, _) in other.tree where tree[key] == nil {
            let (here, there) = (entry(key.wrappedValue), other.entry(key.wrappedValue))
            if here != there, !body(key.wrappedValue, here, there) { return }
        }
    }

    /// The keys whose values differ in another table; see ``forEachDifference(to:_:)``.
    package func keysOfDifference(to other: PropertyListTable) -> Set<UTF8Text> {
        var keys: Set<UTF8Text> = []
        forEachDifference(to: other) { key, _, _ in
            keys.insert(key)
            return true
        }
        return keys
    }

    /// Finds the differences at keys that neither tree has; returns whether to go on.
    private func forEachDifferenceOfDocuments(
        to other: PropertyListTable,
        _ body: (_ key: String, _ here: PropertyListValue?, _ there: PropertyListValue?) -> Bool
    ) -> Bool {
        let areWritten = !tree.isEmpty || !other.tree.isEmpty
        let isWritten = { (key: String) in
            areWritten && (tree[UTF8Text(key)] != nil || other.tree[UTF8Text(key)] != nil)
        }
        for place in 0..<(document?.placeCount ?? 0) {
            if let there = other.document, document?.hasSameEntry(at: place, in: there) == true { continue }
            guard let (key, here) = document?.entry(at: place), !isWritten(key) else { continue }
            let there = other.document?.value(forKey: key)
            if here != there, !body(key, here, there) { return false }
        }
        for place in 0..<(other.document?.placeCount ?? 0) {
            if let document, other.document?.hasSameEntry(at: place, in: document) == true { continue }
            guard let (key, there) = other.document?.entry(at: place), !isWritten(key) else { continue }
            if document?.hasValue(forKey: key) != true, !body(key, nil, there) { return false }
        }
        return true
    }
}

extension PropertyListTable {
    /// Whether so much was written that a table over a new document would take less memory.
    package var hasOutgrownDocument: Bool {
        guard let document else { return false }
        return tree.count > Swift.max(1024, document.placeCount / 2)
    }

    /// The keys that were written since the table was made of its document, each with its value; `nil` for a removed key.
    package var writes: [(key: String, value: PropertyListValue?)] {
        tree.map { ($0.key.wrappedValue, $0.value) }
    }

    /// The same keys and values over the document of another table.
    ///
    /// - Parameters:
    ///   - new: The table of a document.
    ///   - old: A table equal to `new`, if there is one. If it has the document of this table, only keys that either of them
    ///     wrote are compared.
    package func moved(to new: PropertyListTable, from old: PropertyListTable?) -> PropertyListTable {
        guard document !== new.document else { return self }
        var moved = new
        if let old, document === old.document {
            for (key, _) in tree { moved.take(key.wrappedValue, from: self) }
            for (key, _) in old.tree { moved.take(key.wrappedValue, from: self) }
        } else {
            new.forEachDifference(to: self) { key, _, value in
                moved.setEntry(key, to: value)
                return true
            }
        }
        (moved.texts, moved.naming, moved.listing) = (texts, naming, listing)
        return moved
    }

    private mutating func take(_ key: String, from table: PropertyListTable) {
        let value = table.entry(key)
        if entry(key) != value { setEntry(key, to: value) }
    }
}

extension PropertyListTable: Sequence {
    /// Iterates over the entries in no particular order.
    @_spi(StoreAuthors) public struct Iterator: IteratorProtocol {
        private let table: PropertyListTable
        private var place = 0
        private var written: TreeDictionary<UTF8Text, PropertyListValue?>.Iterator

        fileprivate init(_ table: PropertyListTable) {
            let table = table.listing == nil ? table : table.listed
            self.table = table
            written = table.tree.makeIterator()
        }

        /// The next entry, or `nil` at the end.
        @_spi(StoreAuthors) public mutating func next() -> (key: String, value: PropertyListValue)? {
            while let (key, value) = written.next() {
                if let value { return (key.wrappedValue, value) }
            }
            guard let document = table.document else { return nil }
            while place < document.placeCount {
                defer { place += 1 }
                guard let entry = document.entry(at: place) else { continue }
                if table.tree.isEmpty || table.tree[UTF8Text(entry.key)] == nil { return entry }
            }
            return nil
        }
    }

    @_spi(StoreAuthors) public func makeIterator() -> Iterator { Iterator(self) }

    @_spi(StoreAuthors) public var underestimatedCount: Int { count }
}

extension PropertyListTable: ExpressibleByDictionaryLiteral {
    /// Makes a table; of entries with the same key the last one stays.
    public init(dictionaryLiteral elements: (String, PropertyListValue)...) {
        self.init()
        for (key, value) in elements {
            self[key] = value
        }
    }
}

extension PropertyListTable: CustomStringConvertible {
    /// The entries as `Dictionary` describes them, ordered by name; O(*n*).
    ///
    /// A table knows no keys, so this has the values of secret ones as well. `describe(_:)` of a `Defaults` or a group hides them.
    public var description: String { dictionary.description }
}
