/// Values by name, where names are equal if their UTF-8 is; the content of ``PropertyListValue/dictionary(_:)``.
///
/// It works like a `Dictionary` with `String` keys, at the same cost. A `Dictionary` would merge names that are equal by
/// Unicode's canonical equivalence, such as "é" and "e" with U+0301, which a file may contain side by side. A copy is O(1);
/// the entries have no particular order.
public struct TextDictionary<Value> {
    @usableFromInline var entries: [UTF8Text: Value]

    @inlinable
    init(entries: [UTF8Text: Value]) {
        self.entries = entries
    }

    /// Makes an empty dictionary.
    @inlinable
    public init() {
        entries = [:]
    }

    /// Makes an empty dictionary with room for a number of entries.
    @inlinable
    package init(minimumCapacity: Int) {
        entries = Dictionary(minimumCapacity: minimumCapacity)
    }

    /// Makes a dictionary from entries.
    ///
    /// For a repeated name, the last value wins.
    @inlinable
    public init(_ entries: some Sequence<(key: String, value: Value)>) {
        self.init(minimumCapacity: entries.underestimatedCount)
        for (name, value) in entries {
            self.entries[UTF8Text(name)] = value
        }
    }

    /// The value of a name; `nil` removes it.
    @inlinable
    public subscript(name: String) -> Value? {
        get { entries[UTF8Text(name)] }
        _modify { yield &entries[UTF8Text(name)] }
    }

    /// The value of a name, or a default for an absent name; a change stores the value under the name.
    @inlinable
    public subscript(name: String, default value: @autoclosure () -> Value) -> Value {
        get { entries[UTF8Text(name), default: value()] }
        _modify { yield &entries[UTF8Text(name), default: value()] }
    }

    /// Stores a value and returns the previous one; `nil` for a new name.
    @inlinable
    @discardableResult
    package mutating func updateValue(_ value: Value, forKey name: String) -> Value? {
        entries.updateValue(value, forKey: UTF8Text(name))
    }

    /// Removes a name and returns its value; `nil` for an absent name.
    @inlinable
    @discardableResult
    package mutating func removeValue(forKey name: String) -> Value? {
        entries.removeValue(forKey: UTF8Text(name))
    }

    /// Makes room for a number of entries.
    @inlinable
    package mutating func reserveCapacity(_ minimumCapacity: Int) {
        entries.reserveCapacity(minimumCapacity)
    }

    /// The names, in the order of the values.
    ///
    /// Looking for a name costs O(1).
    @inlinable
    public var keys: some Collection<String> { Keys(names: entries.keys) }

    /// The names, ordered by their UTF-8.
    package var sortedKeys: [String] { entries.keys.sorted().map(\.wrappedValue) }

    /// The values, in the order of the names.
    @inlinable
    public var values: Dictionary<UTF8Text, Value>.Values { entries.values }

    /// The entries, ordered by the UTF-8 of their names.
    @inlinable
    package func sortedByName() -> [(key: String, value: Value)] {
        sorted { $0.key.utf8Precedes($1.key) }
    }

    /// The same names with other values.
    @inlinable
    package func mapValues<Other, Failure: Error>(
        _ transform: (Value) throws(Failure) -> Other
    ) throws(Failure) -> TextDictionary<Other> {
        var result = TextDictionary<Other>(minimumCapacity: entries.count)
        for (name, value) in entries {
            result.entries[name] = try transform(value)
        }
        return result
    }

    /// The names whose values are transformed to anything but `nil`, with the results.
    @inlinable
    package func compactMapValues<Other>(_ transform: (Value) throws -> Other?) rethrows -> TextDictionary<Other> {
        TextDictionary<Other>(entries: try entries.compactMapValues(transform))
    }

    /// The entries that satisfy a condition.
    @inlinable
    package func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> TextDictionary {
        TextDictionary(entries: try entries.filter { try isIncluded((key: $0.key.wrappedValue, value: $0.value)) })
    }

    /// Adds the entries of another dictionary.
    ///
    /// - Parameters:
    ///   - other: The other dictionary.
    ///   - combine: Chooses between the present value and the added one.
    @inlinable
    package mutating func merge(
        _ other: TextDictionary,
        uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        try entries.merge(other.entries, uniquingKeysWith: combine)
    }

    /// These entries and those of another dictionary.
    ///
    /// - Parameters:
    ///   - other: The other dictionary.
    ///   - combine: Chooses between the present value and that of the other dictionary.
    @inlinable
    package func merging(
        _ other: TextDictionary,
        uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows -> TextDictionary {
        TextDictionary(entries: try entries.merging(other.entries, uniquingKeysWith: combine))
    }
}

extension TextDictionary: Collection {
    @inlinable
    @_spi(StoreAuthors) public var startIndex: Dictionary<UTF8Text, Value>.Index { entries.startIndex }

    @inlinable
    @_spi(StoreAuthors) public var endIndex: Dictionary<UTF8Text, Value>.Index { entries.endIndex }

    @inlinable
    @_spi(StoreAuthors) public var count: Int { entries.count }

    @inlinable
    @_spi(StoreAuthors) public var isEmpty: Bool { entries.isEmpty }

    @inlinable
    @_spi(StoreAuthors) public func index(
        after index: Dictionary<UTF8Text, Value>.Index
    ) -> Dictionary<UTF8Text, Value>.Index {
        entries.index(after: index)
    }

    @inlinable
    @_spi(StoreAuthors) public subscript(position: Dictionary<UTF8Text, Value>.Index) -> (key: String, value: Value) {
        let (name, value) = entries[position]
        return (name.wrappedValue, value)
    }

    /// Iterates over the entries in no particular order.
    @_spi(StoreAuthors) public struct Iterator: IteratorProtocol {
        @usableFromInline var entries: Dictionary<UTF8Text, Value>.Iterator

        @inlinable
        init(entries: Dictionary<UTF8Text, Value>.Iterator) {
            self.entries = entries
        }

        /// The next entry, or `nil` at the end.
        @inlinable
        @_spi(StoreAuthors) public mutating func next() -> (key: String, value: Value)? {
            guard let (name, value) = entries.next() else { return nil }
            return (name.wrappedValue, value)
        }
    }

    @inlinable
    @_spi(StoreAuthors) public func makeIterator() -> Iterator { Iterator(entries: entries.makeIterator()) }
}

extension TextDictionary: ExpressibleByDictionaryLiteral {
    /// Makes a dictionary.
    ///
    /// For a repeated name, the last value wins.
    @inlinable
    @_spi(StoreAuthors) public init(dictionaryLiteral elements: (String, Value)...) {
        self.init(minimumCapacity: elements.count)
        for (name, value) in elements {
            entries[UTF8Text(name)] = value
        }
    }
}

extension TextDictionary: Sendable where Value: Sendable {}
extension TextDictionary: Equatable where Value: Equatable {}
extension TextDictionary: Hashable where Value: Hashable {}

extension TextDictionary: CustomStringConvertible {
    /// The entries as `Dictionary` describes them, ordered by name.
    public var description: String {
        if isEmpty { return "[:]" }
        let texts = sortedByName().map { "\($0.key.quoted): \(String(reflecting: $0.value))" }
        return "[\(texts.joined(separator: ", "))]"
    }
}

/// The entries of a dictionary in a property list.
public typealias PropertyListDictionary = TextDictionary<PropertyListValue>

extension TextDictionary {
    /// The names of a dictionary.
    @usableFromInline
    struct Keys {
        @usableFromInline let names: Dictionary<UTF8Text, Value>.Keys

        @inlinable
        init(names: Dictionary<UTF8Text, Value>.Keys) {
            self.names = names
        }

        /// Whether there is a name with the same UTF-8.
        @inlinable
        func contains(_ name: String) -> Bool { names.contains(UTF8Text(name)) }
    }
}

extension TextDictionary.Keys: Collection {
    @usableFromInline typealias Index = Dictionary<UTF8Text, Value>.Index

    @inlinable var startIndex: Index { names.startIndex }

    @inlinable var endIndex: Index { names.endIndex }

    @inlinable var count: Int { names.count }

    @inlinable var isEmpty: Bool { names.isEmpty }

    @inlinable
    func index(after index: Index) -> Index { names.index(after: index) }

    @inlinable
    subscript(position: Index) -> String { names[position].wrappedValue }

    // Generic code calls this before it compares elements, which would be by Unicode's canonical equivalence.
    @inlinable
    func _customContainsEquatableElement(_ name: String) -> Bool? { contains(name) }
}
