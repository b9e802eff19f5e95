internal import HashTreeCollections

/// Keys and their values as one value: what a store holds, and what its snapshots are.
///
/// Keys are the same if their UTF-8 is, so "é" and "e" with U+0301 are two keys.
///
/// A copy is O(1) and independent of the original; a write to a table of which copies are held costs O(log *n*), not a
/// copy of the table. It is a persistent hash tree (`TreeDictionary` of swift-collections).
public struct PropertyListTable: Sendable, Hashable {
    private var tree: TreeDictionary<UTF8Text, PropertyListValue>

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

    /// The number of keys.
    public var count: Int { tree.count }

    /// Whether there are no keys.
    public var isEmpty: Bool { tree.isEmpty }

    /// The keys, sorted by their UTF-8.
    public var sortedKeys: [String] { tree.keys.sorted().map(\.wrappedValue) }

    /// The value of a key; `nil` removes it.
    public subscript(key: String) -> PropertyListValue? {
        get { tree[UTF8Text(key)] }
        set { tree[UTF8Text(key)] = newValue }
    }

    /// Stores a value and answers what was there before.
    ///
    /// - Parameters:
    ///   - value: The new value.
    ///   - key: Its key.
    /// - Returns: The value that was there, or `nil` for a new key.
    @discardableResult
    public mutating func updateValue(_ value: PropertyListValue, forKey key: String) -> PropertyListValue? {
        tree.updateValue(value, forKey: UTF8Text(key))
    }

    /// Removes a key and answers what it had; `nil` if there was none of that name.
    mutating func removeValue(forKey key: String) -> PropertyListValue? {
        tree.removeValue(forKey: UTF8Text(key))
    }

    /// The same keys and values as a dictionary; O(*n*).
    public var dictionary: PropertyListDictionary {
        PropertyListDictionary(self)
    }
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
