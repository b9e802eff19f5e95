@_spi(StoreAuthors) internal import KeyspanCore
@_spi(StoreAuthors) internal import KeyspanFileStore

/// Reads a TOML text by the grammar of TOML 1.0.
///
/// A line break in a text of several lines is a line feed, however the file ends its lines.
struct TOMLScanner {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var column = 1

    private static let quote = UInt8(ascii: "\"")
    private static let apostrophe = UInt8(ascii: "'")

    /// Makes a scanner of a text in UTF-8 without a byte-order mark.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads the whole text.
    ///
    /// - Returns: The table of the top level.
    mutating func scanText() throws(TextFileError) -> TOMLNode {
        let root = TOMLNode(.table, at: place)
        var (table, depth) = (root, 0)
        while true {
            try skipBlankLines()
            guard let byte = current else { return root }
            if byte == UInt8(ascii: "[") {
                (table, depth) = try scanHeader(in: root)
            } else {
                try scanMember(of: table, depth: depth)
            }
            skipSpace()
            try skipComment()
            guard current == nil || consume("\n") || consume("\r\n") else { throw error("the end of the line") }
        }
    }

    // MARK: - Tables and members

    /// Reads the header of a table.
    ///
    /// - Returns: The table, and how many tables are around it.
    private mutating func scanHeader(in root: TOMLNode) throws(TextFileError) -> (TOMLNode, depth: Int) {
        let isArray = consume("[[")
        if !isArray { advance() }
        let (outer, last) = try scanNames(depth: 0)
        guard consume(isArray ? "]]" : "]") else { throw error(isArray ? "`]]` after the name" : "`]` after the name") }
        let parent = try table(outer, in: root, making: .implicit)
        let depth = outer.count + 1
        let present = parent.member(named: last.text)
        if isArray {
            let table = TOMLNode(.table, at: last.place)
            if let present {
                guard case .arrayOfTables = present.kind else { throw duplicate(last, of: present) }
                present.append(table)
            } else {
                let array = TOMLNode(.arrayOfTables, at: last.place)
                array.append(table)
                parent.add(array, named: last.text)
            }
            return (table, depth + 1)
        }
        guard let present else {
            let table = TOMLNode(.table, at: last.place)
            parent.add(table, named: last.text)
            return (table, depth)
        }
        guard case .implicit = present.kind else { throw duplicate(last, of: present) }
        present.kind = .table
        return (present, depth)
    }

    /// Reads a name, with dots or without, and its value.
    ///
    /// - Parameters:
    ///   - table: The table around it.
    ///   - depth: How many collections are around the member.
    private mutating func scanMember(of table: TOMLNode, depth: Int) throws(TextFileError) {
        let member = try scanMemberName(of: table, depth: depth)
        member.table.add(try scanValue(at: member.name.place, depth: member.depth), named: member.name.text)
    }

    /// Reads a name, with dots or without, and the equals sign behind it.
    ///
    /// - Returns: The innermost table to which the name leads, the last part of the name, and how many collections are around the value.
    private mutating func scanMemberName(
        of table: TOMLNode,
        depth: Int
    ) throws(TextFileError) -> (table: TOMLNode, name: Name, depth: Int) {
        let (outer, last) = try scanNames(depth: depth)
        guard consume("=") else { throw error("`=` after the name") }
        skipSpace()
        let parent = try self.table(outer, in: table, making: .dotted)
        if let present = parent.member(named: last.text) { throw duplicate(last, of: present) }
        return (parent, last, depth + outer.count)
    }

    private typealias Name = (text: String, place: LineAndColumn)

    /// The table to which names lead from another one.
    ///
    /// - Parameter kind: The kind of tables that are not there yet: `implicit` in a header, and `dotted` before a value, where the names
    ///   cannot lead into a table that has a header.
    private func table(
        _ names: [Name],
        in table: TOMLNode,
        making kind: TOMLNode.Kind
    ) throws(TextFileError) -> TOMLNode {
        var table = table
        for name in names {
            guard let present = table.member(named: name.text) else {
                let new = TOMLNode(kind, at: name.place)
                table.add(new, named: name.text)
                table = new
                continue
            }
            switch (kind, present.kind) {
            case (.dotted, .dotted), (.implicit, .implicit), (.implicit, .dotted), (.implicit, .table): table = present
            case (.dotted, .implicit):
                present.kind = .dotted
                table = present
            case (.implicit, .arrayOfTables): table = present.elements.last ?? present
            default: throw duplicate(name, of: present)
            }
        }
        return table
    }

    private func duplicate(_ name: Name, of present: TOMLNode) -> TextFileError {
        .duplicate(name.text, first: present.place, at: name.place)
    }

    /// Reads a key with dots, and the space around it.
    private mutating func scanNames(depth: Int) throws(TextFileError) -> (outer: [Name], last: Name) {
        var outer: [Name] = []
        skipSpace()
        var last = try scanName()
        skipSpace()
        while consume(".") {
            skipSpace()
            outer.append(last)
            last = try scanName()
            if depth + outer.count >= Self.mostLevels { throw .tooDeep(at: last.place) }
            skipSpace()
        }
        return (outer, last)
    }

    private mutating func scanName() throws(TextFileError) -> Name {
        let place = place
        if let quote = current, quote == Self.quote || quote == Self.apostrophe, !isAt(Self.tripled(quote)) {
            return (try scanString(), place)
        }
        let start = position
        while let byte = current, byte.isBareKeyByte { advance() }
        if position == start { throw error("a name") }
        return (String(decoding: bytes[start..<position], as: UTF8.self), place)
    }

    // MARK: - Values

    /// One more than a property list has: an object that is one level too deep may still be a tag.
    private static let mostLevels = PropertyListValue.maximumNesting + 2

    /// A collection whose end is not reached, and how many collections are around its elements.
    private typealias OpenNode = (node: TOMLNode, depth: Int)

    /// Reads a value with all that is in it.
    ///
    /// The collections that are open are on a stack of its own, so that deep texts do not exhaust the thread's stack.
    ///
    /// - Parameters:
    ///   - place: The place of its name; that of the value if it is an element.
    ///   - depth: How many collections are around it.
    private mutating func scanValue(at place: LineAndColumn, depth: Int) throws(TextFileError) -> TOMLNode {
        var open: [OpenNode] = []
        let value = try beginValue(at: place, depth: depth, opening: &open)
        while let (node, depth) = open.last {
            if case .array = node.kind {
                if try scanEnd(ofArray: node) {
                    open.removeLast()
                } else {
                    node.append(try beginValue(at: self.place, depth: depth, opening: &open))
                }
            } else if try scanEnd(ofTable: node) {
                open.removeLast()
            } else {
                let (table, name, depth) = try scanMemberName(of: node, depth: depth)
                table.add(try beginValue(at: name.place, depth: depth, opening: &open), named: name.text)
            }
        }
        return value
    }

    /// Reads a scalar or the bracket that opens a collection.
    private mutating func beginValue(
        at place: LineAndColumn,
        depth: Int,
        opening open: inout [OpenNode]
    ) throws(TextFileError) -> TOMLNode {
        let kind: TOMLNode.Kind
        switch current {
        case Self.quote?, Self.apostrophe?: return TOMLNode(.scalar(.string(try scanString()), text: nil), at: place)
        case UInt8(ascii: "[")?: kind = .array
        case UInt8(ascii: "{")?: kind = .inlineTable
        default: return TOMLNode(try scanBareValue(), at: place)
        }
        if depth >= Self.mostLevels { throw .tooDeep(at: self.place) }
        advance()
        let node = TOMLNode(kind, at: place)
        open.append((node, depth + 1))
        return node
    }

    /// Reads what follows the bracket or an element of an array: its end, or what is before the next element.
    private mutating func scanEnd(ofArray array: TOMLNode) throws(TextFileError) -> Bool {
        try skipBlankLines()
        if !array.elements.isEmpty {
            if consume(",") {
                try skipBlankLines()
            } else if current != UInt8(ascii: "]") {
                throw error("`,` or `]` after the element")
            }
        }
        return consume("]")
    }

    /// Reads what follows the brace or a member of an inline table: its end, or what is before the next member.
    private mutating func scanEnd(ofTable table: TOMLNode) throws(TextFileError) -> Bool {
        skipSpace()
        if table.members.isEmpty { return consume("}") }
        if consume(",") { return false }
        guard consume("}") else { throw error("`,` or `}` in the same line after the member") }
        return true
    }

    private mutating func scanBareValue() throws(TextFileError) -> TOMLNode.Kind {
        let (start, place) = (position, place)
        while let byte = current, !",]}#\r\n".utf8.contains(byte) { advance() }
        var end = position
        while end > start, bytes[end - 1] == UInt8(ascii: " ") || bytes[end - 1] == UInt8(ascii: "\t") { end -= 1 }
        guard end > start else { throw error("a value") }
        let value = TOMLBareValue(bytes[start..<end])
        return .scalar(try value.value(at: place), text: value.text)
    }

    // MARK: - Strings

    /// Reads a string of any kind.
    private mutating func scanString() throws(TextFileError) -> String {
        let start = place
        let quote = current ?? Self.quote
        let isMultiline = consume(Self.tripled(quote))
        if isMultiline {
            _ = consume("\n") || consume("\r\n")
        } else {
            advance()
        }
        var text: [UInt8] = []
        while let byte = current {
            if byte == quote {
                if !isMultiline {
                    advance()
                    return String(decoding: text, as: UTF8.self)
                }
                if consume(Self.tripled(quote)) {
                    // One or two quotes may be the end of the text.
                    for _ in 0..<2 where current == quote {
                        text.append(quote)
                        advance()
                    }
                    return String(decoding: text, as: UTF8.self)
                }
                text.append(byte)
                advance()
            } else if byte == UInt8(ascii: "\\"), quote == Self.quote {
                try scanEscape(to: &text, isMultiline: isMultiline)
            } else if isMultiline, consume("\n") || consume("\r\n") {
                text.append(UInt8(ascii: "\n"))
            } else {
                if byte.isTOMLControl { throw error("the closing quote, or an escape in place of a control character") }
                text.append(byte)
                advance()
            }
        }
        throw TextFileError(at: start, expected: "a string with a closing quote", found: "one without")
    }

    private static func tripled(_ quote: UInt8) -> String { quote == Self.quote ? "\"\"\"" : "'''" }

    private mutating func scanEscape(to text: inout [UInt8], isMultiline: Bool) throws(TextFileError) {
        let place = place
        advance()
        guard let byte = current else { throw .escape(at: place) }
        switch byte {
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "r"): text.append(0x0D)
        case Self.quote, UInt8(ascii: "\\"): text.append(byte)
        case UInt8(ascii: "u"), UInt8(ascii: "U"):
            let count = byte == UInt8(ascii: "u") ? 4 : 8
            let digits = bytes[(position + 1)...].prefix(count).prefix { TOMLBareValue.isDigit($0, radix: 16) }
            let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
            guard digits.count == count, let scalar = code.flatMap(UnicodeScalar.init) else { throw .escape(at: place) }
            if scalar.value == 0 { throw .nulCharacter(at: place) }
            for _ in digits { advance() }
            text.append(contentsOf: Array(String(scalar).utf8))
        default:
            // A backslash at the end of a line drops all space up to the next text.
            guard isMultiline else { throw .escape(at: place) }
            skipSpace()
            guard isAt("\n") || isAt("\r\n") else { throw .escape(at: place) }
            repeat { skipSpace() } while consume("\n") || consume("\r\n")
            return
        }
        advance()
    }

    // MARK: - Bytes

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private var place: LineAndColumn { LineAndColumn(line: line, column: column) }

    private func error(_ expected: String) -> TextFileError {
        TextFileError(expecting: expected, atByte: position, in: bytes)
    }

    private func isAt(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

    private mutating func consume(_ text: String) -> Bool {
        guard isAt(text) else { return false }
        for _ in text.utf8 { advance() }
        return true
    }

    private mutating func advance() {
        guard let byte = current else { return }
        position += 1
        if byte == UInt8(ascii: "\n") {
            (line, column) = (line + 1, 1)
        } else if byte & 0xC0 != 0x80 {
            // Continuation bytes belong to the scalar before them.
            column += 1
        }
    }

    private mutating func skipSpace() {
        while let byte = current, byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") { advance() }
    }

    private mutating func skipComment() throws(TextFileError) {
        guard current == UInt8(ascii: "#") else { return }
        while let byte = current, byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") || !isAt("\r\n") {
            if byte.isTOMLControl { throw error("no control character in a comment") }
            advance()
        }
    }

    private mutating func skipBlankLines() throws(TextFileError) {
        repeat {
            skipSpace()
            try skipComment()
        } while consume("\n") || consume("\r\n")
    }
}

extension UInt8 {
    fileprivate var isBareKeyByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
    }

    /// Whether TOML allows the character in no comment and no string.
    fileprivate var isTOMLControl: Bool { self < 0x20 && self != UInt8(ascii: "\t") || self == 0x7F }
}

extension TextFileError {
    fileprivate static func tooDeep(at place: LineAndColumn) -> TextFileError {
        TextFileError(
            at: place,
            expected: "at most \(PropertyListValue.maximumNesting) nested collections",
            found: "one more",
            remedy: "store it in a flatter form"
        )
    }

    fileprivate static func nulCharacter(at place: LineAndColumn) -> TextFileError {
        TextFileError(
            at: place,
            expected: "a text without NUL characters",
            found: "the escape of one",
            remedy: "remove it"
        )
    }

    fileprivate static func escape(at place: LineAndColumn) -> TextFileError {
        TextFileError(
            at: place,
            expected: "one of the escapes \\\" \\\\ \\b \\f \\n \\r \\t \\u \\U",
            found: "another one",
            remedy: "write a backslash as \\\\, or the text in single quotes"
        )
    }
}
