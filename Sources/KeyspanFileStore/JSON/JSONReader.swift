import KeyspanCore

/// Reads one JSON text from its first byte to its last.
///
/// The parts are in extensions by what they read: strings, numbers and collections. Between two calls the cursor is at
/// the first byte that has not been read.
struct JSONReader {
    var cursor: ByteCursor

    /// The collections around the place that is read, outermost first: a stack of our own, so that nesting in the text
    /// costs no stack of the thread.
    var openCollections: [OpenCollection] = []

    /// A string with escapes while it is put together; kept to reuse its memory.
    var unescaped: [UInt8] = []

    init(_ cursor: ByteCursor) {
        self.cursor = cursor
    }

    /// Reads a whole text with any value.
    mutating func readText() throws(JSONFault) -> PropertyListValue {
        try skipToFirstByte()
        if cursor.current == UInt8(ascii: "n") {
            let start = cursor.position
            try readLiteral("null")
            throw JSONFault(.topLevelNull, at: start)
        }
        let value = try readValue()
        try readEnd()
        return value
    }

    /// Reads a whole text with an object at its top level.
    ///
    /// - Parameter noteMember: Called with the name of each member and the index of that name, in their order.
    mutating func readTable(noteMember: (String, Int) -> Void = { _, _ in }) throws(JSONFault) -> PropertyListTable {
        try skipToFirstByte()
        guard cursor.consume(ASCII.openBrace) else { throw JSONFault(.topLevelObject, at: cursor.position) }
        var table = PropertyListTable()
        var nullNames: Set<UTF8Text> = []
        cursor.skipWhitespace()
        if !cursor.consume(ASCII.closeBrace) {
            var problem = JSONFault.Problem.memberName
            repeat {
                cursor.skipWhitespace()
                let start = cursor.position
                let name = try readMemberName(otherwise: problem)
                noteMember(name, start)
                let isNew: Bool
                if try readNull() {
                    isNew = table[name] == nil && nullNames.insert(name)
                } else {
                    let value = try readValue()
                    isNew = table.updateValue(value, forKey: name) == nil && !nullNames.contains(name)
                }
                guard isNew else { throw JSONFault(.duplicateName, at: start) }
                problem = .memberNameAfterComma
                cursor.skipWhitespace()
            } while cursor.consume(ASCII.comma)
            guard cursor.consume(ASCII.closeBrace) else { throw JSONFault(.commaOrBrace, at: cursor.position) }
        }
        try readEnd()
        return table
    }

    /// Reads the name of a member and the colon, up to the first byte of its value.
    mutating func readMemberName(otherwise problem: JSONFault.Problem) throws(JSONFault) -> String {
        guard cursor.current == ASCII.quote else { throw JSONFault(problem, at: cursor.position) }
        let name = try readString()
        cursor.skipWhitespace()
        guard cursor.consume(ASCII.colon) else { throw JSONFault(.colon, at: cursor.position) }
        cursor.skipWhitespace()
        return name
    }

    /// Reads `null` if it is here.
    mutating func readNull() throws(JSONFault) -> Bool {
        guard cursor.current == UInt8(ascii: "n") else { return false }
        try readLiteral("null")
        return true
    }

    /// Reads a value that is not nested in another one.
    private mutating func readValue() throws(JSONFault) -> PropertyListValue {
        switch cursor.current {
        case ASCII.openBrace, ASCII.openBracket: try readCollection()
        default: try readScalar(otherwise: .value)
        }
    }

    /// Reads a value that is no collection and not `null`.
    mutating func readScalar(otherwise problem: JSONFault.Problem) throws(JSONFault) -> PropertyListValue {
        switch cursor.current {
        case ASCII.quote:
            return .string(try readString())
        case ASCII.minus, ASCII.zero...ASCII.nine:
            return try readNumber()
        case UInt8(ascii: "t"):
            try readLiteral("true")
            return .boolean(true)
        case UInt8(ascii: "f"):
            try readLiteral("false")
            return .boolean(false)
        case UInt8(ascii: "n"):
            let start = cursor.position
            try readLiteral("null")
            throw JSONFault(.nullElement, at: start)
        default:
            throw JSONFault(problem, at: cursor.position)
        }
    }

    private mutating func readLiteral(_ literal: StaticString) throws(JSONFault) {
        for byte in literal.description.utf8 {
            guard cursor.consume(byte) else { throw JSONFault(.literal, at: cursor.position) }
        }
    }

    private mutating func skipToFirstByte() throws(JSONFault) {
        if cursor.current == TextBeginning.byteOrderMark.first {
            for byte in TextBeginning.byteOrderMark where !cursor.consume(byte) {
                throw JSONFault(.value, at: 0)
            }
        }
        cursor.skipWhitespace()
        if cursor.isAtEnd { throw JSONFault(.emptyText, at: cursor.position) }
    }

    private mutating func readEnd() throws(JSONFault) {
        cursor.skipWhitespace()
        guard cursor.isAtEnd else { throw JSONFault(.contentAfterValue, at: cursor.position) }
    }
}
