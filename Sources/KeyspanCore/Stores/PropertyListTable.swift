internal import HashTreeCollections

/// Keys and their values as one value: what a store holds, and what its snapshots are.
///
/// A copy is O(1) and independent of the original; a write to a table of which copies are held costs O(log *n*), not a
/// copy of the table. It is a persistent hash tree (`TreeDictionary` of swift-collections).
public struct PropertyListTable: Sendable, Hashable {
    private var tree: TreeDictionary<String, PropertyListValue>

    /// Makes an empty table.
    public init() {
        tree = [:]
    }

    /// Makes a table from a dictionary.
    public init(_ values: [String: PropertyListValue]) {
        tree = TreeDictionary(values)
    }

    /// The number of keys.
    public var count: Int { tree.count }

    /// Whether there are no keys.
    public var isEmpty: Bool { tree.isEmpty }

    /// The keys, sorted by their Unicode scalars.
    public var sortedKeys: [String] { tree.keys.sorted() }

    /// The value of a key; `nil` removes it.
    public subscript(key: String) -> PropertyListValue? {
        get { tree[key] }
        set { tree[key] = newValue }
    }

    /// Stores a value and answers what was there before.
    ///
    /// - Parameters:
    ///   - value: The new value.
    ///   - key: Its key.
    /// - Returns: The value that was there, or `nil` for a new key.
    @discardableResult
    public mutating func updateValue(_ value: PropertyListValue, forKey key: String) -> PropertyListValue? {
        tree.updateValue(value, forKey: key)
    }

    /// Removes a key and answers what it had; `nil` if there was none of that name.
    mutating func removeValue(forKey key: String) -> PropertyListValue? {
        tree.removeValue(forKey: key)
    }

    /// The same keys and values as a dictionary; O(*n*).
    public var dictionary: [String: PropertyListValue] {
        Dictionary(uniqueKeysWithValues: tree.lazy.map { ($0.key, $0.value) })
    }
}

extension PropertyListTable: Sequence {
    /// Iterates over the entries in no particular order.
    public struct Iterator: IteratorProtocol {
        fileprivate var tree: TreeDictionary<String, PropertyListValue>.Iterator

        /// The next entry, or `nil` at the end.
        public mutating func next() -> (key: String, value: PropertyListValue)? {
            tree.next().map { ($0.key, $0.value) }
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
