@_spi(StoreAuthors) internal import KeyspanCore
@_spi(StoreAuthors) internal import KeyspanFileStore

/// A table, an array or a value of a TOML text, with the place of its name or its beginning.
final class TOMLNode {
    enum Kind {
        /// A table that exists because a table in it does.
        case implicit
        /// A table that a key with dots makes, which cannot have a header.
        case dotted
        case table
        /// A table in braces, to which nothing can be added behind them.
        case inlineTable
        /// The tables under headers in double brackets.
        case arrayOfTables
        case array
        /// A value, and its text if it is not in quotes.
        case scalar(PropertyListValue, text: String?)
    }

    let place: LineAndColumn
    var kind: Kind
    /// The members of a table, in the order of the text.
    private(set) var members: [(name: String, node: TOMLNode)] = []
    /// The elements of an array.
    private(set) var elements: [TOMLNode] = []

    private var indices: TextDictionary<Int> = [:]

    init(_ kind: Kind, at place: LineAndColumn) {
        self.kind = kind
        self.place = place
    }

    func member(named name: String) -> TOMLNode? { indices[name].map { members[$0].node } }

    func add(_ node: TOMLNode, named name: String) {
        indices[name] = members.count
        members.append((name, node))
    }

    func append(_ element: TOMLNode) {
        elements.append(element)
    }

    /// Adds the members of the table to the innermost mapping of a tree.
    ///
    /// The collections around the current one are on a stack of its own, so that deep texts do not exhaust the thread's stack.
    func appendMembers(to tree: inout TextTree) throws(TextFileError) {
        var open: [(node: TOMLNode, next: Int)] = [(self, 0)]
        while let (node, index) = open.last {
            guard let inner = try node.beginPart(at: index, in: &tree) else {
                open.removeLast()
                if !open.isEmpty { try tree.append(try tree.close(), at: node.place) }
                continue
            }
            open[open.count - 1].next += 1
            switch inner.kind {
            case .scalar(let value, let text): try tree.append(.scalar(value, writtenAs: text), at: inner.place)
            case .array, .arrayOfTables:
                try tree.open(isMapping: false, at: inner.place)
                open.append((inner, 0))
            case .implicit, .dotted, .table, .inlineTable:
                try tree.open(isMapping: true, at: inner.place)
                open.append((inner, 0))
            }
        }
    }

    /// The member or element at an index, whose name the tree has then; `nil` behind the last one.
    private func beginPart(at index: Int, in tree: inout TextTree) throws(TextFileError) -> TOMLNode? {
        if index < elements.count { return elements[index] }
        guard index < members.count else { return nil }
        try tree.begin(members[index].name, at: members[index].node.place)
        return members[index].node
    }
}
