internal import HashTreeCollections

/// Keys and their values as one value: what a store holds, and what its snapshots are.
///
/// Keys are the same if their UTF-8 is, so "é" and "e" with U+0301 are two keys.
///
/// A copy is O(1) and independent of the original; a write to a table of which copies are held costs O(log *n*), not a
/// copy of the table. It is a persistent hash tree (`TreeDictionary` of swift-collections).
public struct PropertyListTable: Sendable, Hashable {
    private var tree: TreeDictionary<UTF8Text, PropertyListValue>

    // The extents of values that contain text; `nil` if none does, so that a table without text pays nothing for it.
    private var texts: TreeDictionary<UTF8Text, TextExtent>?

    /// Makes an empty table.
    package init() {
        tree = [:]
    }

    /// Makes a table from a dictionary of Swift.
    public init(_ values: [String: PropertyListValue]) {
        self.init(PropertyListDictionary(values))
    }

    /// Makes a table from a dictionary.
    public init(_ values: PropertyListDictionary) {
        tree = TreeDictionary(values.entries)
    }

    /// The same keys and values, each of them marked as text that someone typed; O(*n*).
    ///
    /// It is for stores whose source has nothing but text, such as environment variables.
    @_spi(StoreAuthors) public var markedAsText: PropertyListTable {
        var table = self
        table.texts = isEmpty ? nil : tree.mapValues { _ in .whole }
        return table
    }

    /// The same keys and values, none of them marked as text that someone typed; O(1).
    var markedAsNoText: PropertyListTable {
        var table = self
        table.texts = nil
        return table
    }

    /// The number of keys.
    public var count: Int { tree.count }

    /// Whether the table has no keys.
    public var isEmpty: Bool { tree.isEmpty }

    /// The keys, sorted by their UTF-8.
    public var sortedKeys: [String] { tree.keys.sorted().map(\.wrappedValue) }

    /// The value of a key; `nil` removes it.
    ///
    /// A value set this way is not text that someone typed.
    public subscript(key: String) -> PropertyListValue? {
        get { tree[UTF8Text(key)] }
        set {
            tree[UTF8Text(key)] = newValue
            texts?[UTF8Text(key)] = nil
        }
    }

    /// The value of a key with whether it is text that someone typed; `nil` removes it.
    @_spi(StoreAuthors) public subscript(stored key: String) -> StoredValue? {
        get {
            guard let value = self[key] else { return nil }
            return StoredValue(value, extent: extent(of: key))
        }
        set {
            self[key] = newValue?.value
            guard let newValue, newValue.isText else { return }
            texts = texts ?? [:]
            texts?[UTF8Text(key)] = newValue.extent

        }
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
        texts?[UTF8Text(key)] = nil
        return tree.updateValue(value, forKey: UTF8Text(key))
    }

    /// Removes a key and answers what it had; `nil` if there was none of that name.
    mutating func removeValue(forKey key: String) -> PropertyListValue? {
        texts?[UTF8Text(key)] = nil
        return tree.removeValue(forKey: UTF8Text(key))
    }

    /// The same keys and values as a dictionary; O(*n*).
    package var dictionary: PropertyListDictionary {
        PropertyListDictionary(self)
    }
}

extension PropertyListTable {
    /// Whether two tables have the same keys and values; whether a value is text makes no difference here.
    @_spi(StoreAuthors) public static func == (left: Self, right: Self) -> Bool { left.tree == right.tree }

    @_spi(StoreAuthors) public func hash(into hasher: inout Hasher) { hasher.combine(tree) }
}

extension PropertyListTable: Sequence {
    /// Iterates over the entries in no particular order.
    @_spi(StoreAuthors) public struct Iterator: IteratorProtocol {
        fileprivate var tree: TreeDictionary<UTF8Text, PropertyListValue>.Iterator

        /// The next entry, or `nil` at the end.
        @_spi(StoreAuthors) public mutating func next() -> (key: String, value: PropertyListValue)? {
            guard let (key, value) = tree.next() else { return nil }
            return (key.wrappedValue, value)
        }
    }

    @_spi(StoreAuthors) public func makeIterator() -> Iterator {
        Iterator(tree: tree.makeIterator())
    }

    @_spi(StoreAuthors) public var underestimatedCount: Int { tree.count }
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
        return try !apply(batch.operations, store: store).isEmpty
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
