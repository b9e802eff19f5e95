internal import HashTreeCollections

/// Keys and their values as one value: what a store holds, and what its snapshots are.
///
/// Keys are the same if their UTF-8 is, so "é" and "e" with U+0301 are two keys.
///
/// A copy is O(1) and independent of the original; a write to a table of which copies are held costs O(log *n*), not a
/// copy of the table. It is a persistent hash tree (`TreeDictionary` of swift-collections).
public struct PropertyListTable: Sendable, Hashable {
    private var tree: TreeDictionary<UTF8Text, PropertyListValue>

    // What is text in the values of which something is; `nil` for none, so that a table without text pays nothing for it.
    private var texts: TreeDictionary<UTF8Text, TextExtent>?

    /// Makes an empty table.
    public init() {
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
    public var markedAsText: PropertyListTable {
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

    /// Whether there are no keys.
    public var isEmpty: Bool { tree.isEmpty }

    /// The keys, sorted by their UTF-8.
    public var sortedKeys: [String] { tree.keys.sorted().map(\.wrappedValue) }

    /// The value of a key; `nil` removes it.
    ///
    /// A value that is set so is no text that someone typed.
    public subscript(key: String) -> PropertyListValue? {
        get { tree[UTF8Text(key)] }
        set {
            tree[UTF8Text(key)] = newValue
            texts?[UTF8Text(key)] = nil
        }
    }

    /// The value of a key with whether it is text that someone typed; `nil` removes it.
    public subscript(stored key: String) -> StoredValue? {
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
    public var dictionary: PropertyListDictionary {
        PropertyListDictionary(self)
    }
}

extension PropertyListTable {
    /// Whether two tables have the same keys and values; whether a value is text makes no difference here.
    public static func == (left: Self, right: Self) -> Bool { left.tree == right.tree }

    public func hash(into hasher: inout Hasher) { hasher.combine(tree) }
}

extension PropertyListTable: Sequence {
    /// Iterates over the entries in no particular order.
    public struct Iterator: IteratorProtocol {
        fileprivate var tree: TreeDictionary<UTF8Text, PropertyListValue>.Iterator

        /// The next entry, or `nil` at the end.
        public mutating func next() -> (key: String, value: PropertyListValue)? {
            guard let (key, value) = tree.next() else { return nil }
            return (key.wrappedValue, value)
        }
    }

    public func makeIterator() -> Iterator {
        Iterator(tree: tree.makeIterator())
    }

    public var underestimatedCount: Int { tree.count }
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
