@_spi(StoreAuthors) import KeyspanCore

/// An array or object that is being written: yields its items one by one.
struct UnfinishedCollection {
    /// The next item to write.
    enum Item {
        case element(PropertyListValue)
        /// A member; a literal member contains a dictionary that is not escaped.
        case member(name: String, value: PropertyListValue, isLiteral: Bool)
    }

    private enum Items {
        case elements([PropertyListValue])
        case members([(key: String, value: PropertyListValue)], areLiteral: Bool)
    }

    private let items: Items
    private var position = 0
    private let count: Int

    init(elements: [PropertyListValue]) {
        items = .elements(elements)
        count = elements.count
    }

    /// Makes an object of members, which it sorts by the UTF-8 of their names.
    init(members: some Sequence<(key: String, value: PropertyListValue)>) {
        self.init(sorted: members.sorted { $0.key.utf8Precedes($1.key) }, areLiteral: false)
    }

    /// Makes the object that escapes a dictionary.
    init(escaped entries: PropertyListDictionary) {
        self.init(sorted: [(TaggedForm.dictionary, .dictionary(entries))], areLiteral: true)
    }

    private init(sorted members: [(key: String, value: PropertyListValue)], areLiteral: Bool) {
        items = .members(members, areLiteral: areLiteral)
        count = members.count
    }

    var isEmpty: Bool { count == 0 }

    /// Whether the first item was taken last.
    var isAtFirstItem: Bool { position == 1 }

    var isArray: Bool {
        if case .elements = items { true } else { false }
    }

    /// The opening bracket in JSON.
    var openingBracket: UInt8 { isArray ? ASCII.openBracket : ASCII.openBrace }

    /// The closing bracket in JSON.
    var closingBracket: UInt8 { isArray ? ASCII.closeBracket : ASCII.closeBrace }

    /// Takes the next item, or returns `nil` at the end.
    mutating func next() -> Item? {
        guard position < count else { return nil }
        defer { position += 1 }
        switch items {
        case .elements(let elements):
            return .element(elements[position])
        case .members(let members, let areLiteral):
            return .member(name: members[position].key, value: members[position].value, isLiteral: areLiteral)
        }
    }
}

/// An array or dictionary that is being read: collects its items one by one.
struct GrowingCollection {
    let isDictionary: Bool
    /// The key of the next item of a dictionary.
    var key = ""
    /// The offset of that key.
    var keyOffset = 0

    private var elements: [PropertyListValue] = []
    private var entries: PropertyListDictionary = [:]

    init(isDictionary: Bool) {
        self.isDictionary = isDictionary
    }

    /// The number of elements so far, if this is an array.
    var elementCount: Int { elements.count }

    /// The collection with the items so far.
    var value: PropertyListValue { isDictionary ? .dictionary(entries) : .array(elements) }

    /// Adds an item.
    ///
    /// - Returns: Whether the key was new.
    mutating func add(_ value: PropertyListValue) -> Bool {
        if isDictionary { return entries.updateValue(value, forKey: key) == nil }
        elements.append(value)
        return true
    }
}
