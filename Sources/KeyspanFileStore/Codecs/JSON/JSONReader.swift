@_spi(StoreAuthors) import KeyspanCore

/// Reads one JSON text from its first byte to its last.
///
/// Between two calls the cursor is at the first unread byte.
struct JSONReader {
    var cursor: TextCursor

    /// The collections around the cursor, outermost first: a stack of the reader's own, so that deep texts do not exhaust the
    /// thread's stack.
    var openCollections: [OpenCollection] = []

    /// The buffer for strings with escapes, kept to reuse its memory.
    var unescaped: [UInt8] = []

    /// The names of the object that is being skipped, kept to reuse their memory.
    var flatNames: [Range<Int>] = []

    /// Whether the text may have comments, and commas behind the last items of collections.
    let allowsComments: Bool

    /// Whether a comment was read.
    var hasComments = false

    init(_ cursor: TextCursor, allowingComments allowsComments: Bool = false) {
        self.cursor = cursor
        self.allowsComments = allowsComments
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
    mutating func readTable() throws(JSONFault) -> PropertyListTable {
        try skipToFirstByte()
        guard cursor.consume(ASCII.openBrace) else { throw JSONFault(.topLevelObject, at: cursor.position) }
        var table = PropertyListTable()
        var nullNames: Set<UTF8Text> = []
        try skipSpace()
        if !cursor.consume(ASCII.closeBrace) {
            var problem = JSONFault.Problem.memberName
            repeat {
                try skipSpace()
                let start = cursor.position
                let name = try readMemberName(otherwise: problem)
                let isNew: Bool
                if try readNull() {
                    isNew = table[name] == nil && nullNames.insert(name)
                } else {
                    let value = try readValue()
                    isNew = table.updateValue(value, forKey: name) == nil && !nullNames.contains(name)
                }
                guard isNew else { throw JSONFault(.duplicateName, at: start) }
                problem = .memberNameAfterComma
            } while try consumeComma(before: ASCII.closeBrace)
            guard cursor.consume(ASCII.closeBrace) else { throw JSONFault(.commaOrBrace, at: cursor.position) }
        }
        try readEnd()
        return table
    }

    /// Reads the first members of an object, as long as their names are wanted.
    mutating func readMembers(while isWanted: (String) -> Bool) throws(JSONFault) -> PropertyListDictionary {
        var members: PropertyListDictionary = [:]
        guard cursor.consume(ASCII.openBrace) else { return members }
        repeat {
            try skipSpace()
            guard cursor.current == ASCII.quote else { break }
            let name = try readMemberName(otherwise: .memberName)
            guard isWanted(name) else { break }
            members[name] = try readValue()
            try skipSpace()
        } while cursor.consume(ASCII.comma)
        return members
    }

    /// Reads the name of a member and the colon, up to the first byte of its value.
    mutating func readMemberName(otherwise problem: JSONFault.Problem) throws(JSONFault) -> String {
        guard cursor.current == ASCII.quote else { throw JSONFault(problem, at: cursor.position) }
        let name = try readString()
        try skipSpace()
        guard cursor.consume(ASCII.colon) else { throw JSONFault(.colon, at: cursor.position) }
        try skipSpace()
        return name
    }

    /// Reads `null` if it is here.
    mutating func readNull() throws(JSONFault) -> Bool {
        guard cursor.current == UInt8(ascii: "n") else { return false }
        try readLiteral("null")
        return true
    }

    /// Reads a value that is not nested in another one.
    mutating func readValue() throws(JSONFault) -> PropertyListValue {
        switch cursor.current {
        case ASCII.openBrace, ASCII.openBracket: try readCollection()
        default: try readScalar(otherwise: .value)
        }
    }

    /// Reads a value that is neither a collection nor `null`.
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

    mutating func skipToFirstByte() throws(JSONFault) {
        if cursor.current == TextBeginning.byteOrderMark.first {
            for byte in TextBeginning.byteOrderMark where !cursor.consume(byte) {
                throw JSONFault(.value, at: 0)
            }
        }
        try skipSpace()
        if cursor.isAtEnd { throw JSONFault(.emptyText, at: cursor.position) }
    }

    /// Reads space, and comments if the text may have them.
    @inline(__always)
    mutating func skipSpace() throws(JSONFault) {
        cursor.skipWhitespace()
        if cursor.current == ASCII.slash, allowsComments { try skipComments() }
    }

    private mutating func skipComments() throws(JSONFault) {
        while cursor.current == ASCII.slash {
            let start = cursor.position
            if cursor.consume("//") {
                _ = cursor.take { $0 != ASCII.lineFeed }
            } else if cursor.consume("/*") {
                guard cursor.skip(through: "*/") else { throw JSONFault(.openComment, at: start) }
            } else {
                throw JSONFault(.comment, at: start)
            }
            guard String(validating: cursor.range(from: start), as: UTF8.self) != nil else {
                throw JSONFault(.invalidUTF8, at: start)
            }
            hasComments = true
            cursor.skipWhitespace()
        }
    }

    mutating func readEnd() throws(JSONFault) {
        try skipSpace()
        guard cursor.isAtEnd else { throw JSONFault(.contentAfterValue, at: cursor.position) }
    }
}

extension JSONReader {
    /// Reads an array or object, from its opening bracket to its closing one.
    mutating func readCollection() throws(JSONFault) -> PropertyListValue {
        let start = cursor.position
        var isAtItem = try open()
        while true {
            if isAtItem {
                isAtItem = try readItem()
                continue
            }
            let collection = try close()
            guard let innermost = openCollections.indices.last else {
                guard collection.interpreted.nesting <= PropertyListValue.maximumNesting else {
                    throw JSONFault(.nesting, at: start)
                }
                return collection.interpreted.value
            }
            try openCollections[innermost].append(collection)
            isAtItem = try consumeComma(before: openCollections[innermost].closingBracket)
        }
    }

    /// Steps into the array or object here.
    ///
    /// - Returns: Whether the collection has an item; otherwise the cursor is at the closing bracket.
    private mutating func open() throws(JSONFault) -> Bool {
        let start = cursor.position
        let isObject = cursor.consume(ASCII.openBrace)
        if !isObject { _ = cursor.consume(ASCII.openBracket) }
        let outerLevels = openCollections.last?.levels(aroundObject: isObject) ?? 0
        // An object that is one level too deep may still be a tag, which does not count as a level. Two nested objects may be one
        // level, never three.
        let limit = PropertyListValue.maximumNesting
        guard outerLevels < (isObject ? limit + 1 : limit), openCollections.count <= 2 * limit else {
            throw JSONFault(.nesting, at: start)
        }
        let collection = OpenCollection(start: start, isObject: isObject, outerLevels: outerLevels)
        openCollections.append(collection)
        try skipSpace()
        return cursor.current != collection.closingBracket
    }

    /// Reads an item of the innermost collection, or steps into it if it is a collection itself.
    ///
    /// - Returns: Whether an item follows; otherwise the cursor is at the place of a closing bracket.
    private mutating func readItem() throws(JSONFault) -> Bool {
        let innermost = openCollections.count - 1
        var problem = openCollections[innermost].problemWithoutItem
        if openCollections[innermost].isObject {
            let start = cursor.position
            openCollections[innermost].begin(name: try readMemberName(otherwise: problem), at: start)
            problem = .value
            if try readNull() {
                try openCollections[innermost].appendNull()
                return try consumeComma(before: ASCII.closeBrace)
            }
        }
        if cursor.current == ASCII.openBrace || cursor.current == ASCII.openBracket {
            return try open()
        }
        try openCollections[innermost].append(try readScalar(otherwise: problem))
        return try consumeComma(before: openCollections[innermost].closingBracket)
    }

    /// Steps out of the innermost collection.
    private mutating func close() throws(JSONFault) -> ReadCollection {
        let innermost = openCollections.removeLast()
        guard cursor.consume(innermost.closingBracket) else {
            throw JSONFault(innermost.isObject ? .commaOrBrace : .commaOrBracket, at: cursor.position)
        }
        let (start, outerLevels) = (innermost.start, innermost.outerLevels)
        let collection = innermost.close()
        guard outerLevels + collection.leastNesting <= PropertyListValue.maximumNesting else {
            throw JSONFault(.nesting, at: start)
        }
        return collection
    }

    /// Reads the comma before another item, and the space around it.
    ///
    /// - Returns: Whether another item must follow, and not the closing bracket.
    mutating func consumeComma(before closingBracket: UInt8) throws(JSONFault) -> Bool {
        try skipSpace()
        guard cursor.consume(ASCII.comma) else { return false }
        try skipSpace()
        return !allowsComments || cursor.current != closingBracket
    }
}

/// An array or object that was read, in its two possible meanings.
///
/// The object around it decides between them, and may go on with more members: `{"$dictionary": {…}}` takes the inner object
/// literally, while `{"$dictionary": {…}, "other": 1}` is a plain object and interprets the inner one.
struct ReadCollection {
    /// A value and the number of collections nested in it, including itself.
    struct Reading {
        let value: PropertyListValue
        let nesting: Int
    }

    /// The meaning that replaces a tagged form by its value.
    let interpreted: Reading

    /// The meaning as a plain dictionary, or `nil` for an array.
    let literal: Reading?

    /// The smaller number of levels of both meanings.
    var leastNesting: Int { min(interpreted.nesting, literal?.nesting ?? interpreted.nesting) }
}
