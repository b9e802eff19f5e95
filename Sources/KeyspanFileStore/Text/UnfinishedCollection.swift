import KeyspanCore

/// An array or object of which items are still to be written.
struct UnfinishedCollection {
    /// What is written next.
    enum Item {
        case element(PropertyListValue)
        /// A member; a literal one is a dictionary that is not escaped.
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

    /// The members in the order of the UTF-8 of their names.
    init(members: some Sequence<(key: String, value: PropertyListValue)>) {
        self.init(sorted: members.sorted { $0.key.utf8Precedes($1.key) }, areLiteral: false)
    }

    /// The dictionary inside its escape.
    init(escaped entries: PropertyListDictionary) {
        self.init(sorted: [(TaggedForm.dictionary, .dictionary(entries))], areLiteral: true)
    }

    private init(sorted members: [(key: String, value: PropertyListValue)], areLiteral: Bool) {
        items = .members(members, areLiteral: areLiteral)
        count = members.count
    }

    var isEmpty: Bool { count == 0 }

    /// Whether the item that was taken last is the first one.
    var isAtFirstItem: Bool { position == 1 }

    var isArray: Bool {
        if case .elements = items { true } else { false }
    }

    /// What it begins with in JSON.
    var openingBracket: UInt8 { isArray ? ASCII.openBracket : ASCII.openBrace }

    /// What it ends with in JSON.
    var closingBracket: UInt8 { isArray ? ASCII.closeBracket : ASCII.closeBrace }

    /// Takes the next item, or answers `nil` if all are written.
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
