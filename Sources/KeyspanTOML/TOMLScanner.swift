#if TOML
@_spi(StoreAuthors) internal import KeyspanCore
@_spi(StoreAuthors) internal import KeyspanFileStore

/// Reads through a TOML text by the grammar of TOML 1.0, and notes the places of the names.
struct TOMLScanner {
    let root = TOMLPlaces(.table, at: LineAndColumn(line: 1, column: 1))
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

    mutating func scanText() throws(TextFileError) {
        var table = root
        while true {
            try skipBlankLines()
            guard let byte = current else { return }
            if byte == UInt8(ascii: "[") {
                table = try scanHeader()
            } else {
                try scanMember(of: table, depth: 0)
            }
            skipSpace()
            try skipComment()
            guard current == nil || consume("\n") || consume("\r\n") else { throw error("the end of the line") }
        }
    }

    // MARK: - Tables and members

    private mutating func scanHeader() throws(TextFileError) -> TOMLPlaces {
        let isArray = consume("[[")
        if !isArray { advance() }
        let (outer, last) = try scanNames()
        guard consume(isArray ? "]]" : "]") else { throw error(isArray ? "`]]` after the name" : "`]` after the name") }
        let parent = try table(outer, in: root, making: .implicit)
        guard let present = parent.members[last.text] else {
            let new = TOMLPlaces(isArray ? .arrayOfTables : .table, at: last.place)
            parent.members[last.text] = new
            return new
        }
        switch (present.kind, isArray) {
        case (.implicit, false): present.kind = .table
        case (.arrayOfTables, true): present.members = [:]
        default: throw .duplicate(last.text, first: present.place, at: last.place)
        }
        return present
    }

    private mutating func scanMember(of table: TOMLPlaces, depth: Int) throws(TextFileError) {
        let (outer, last) = try scanNames()
        guard consume("=") else { throw error("`=` after the name") }
        skipSpace()
        let parent = try self.table(outer, in: table, making: .dotted)
        if let present = parent.members[last.text] {
            throw .duplicate(last.text, first: present.place, at: last.place)
        }
        let value = TOMLPlaces(.value, at: last.place)
        parent.members[last.text] = value
        try scanValue(at: value, depth: depth)
    }

    private typealias Name = (text: String, place: LineAndColumn)

    /// The table to which names lead from another one.
    private func table(
        _ names: [Name],
        in table: TOMLPlaces,
        making kind: TOMLPlaces.Kind
    ) throws(TextFileError) -> TOMLPlaces {
        var table = table
        for (name, place) in names {
            if let present = table.members[name] {
                if present.kind == .value { throw .duplicate(name, first: present.place, at: place) }
                table = present
            } else {
                let new = TOMLPlaces(kind, at: place)
                table.members[name] = new
                table = new
            }
        }
        return table
    }

    /// Reads a key with dots, and the space around it.
    private mutating func scanNames() throws(TextFileError) -> (outer: [Name], last: Name) {
        var outer: [Name] = []
        skipSpace()
        var last = try scanName()
        skipSpace()
        while consume(".") {
            skipSpace()
            outer.append(last)
            last = try scanName()
            if outer.count >= PropertyListValue.maximumNesting { throw .tooDeep(at: last.place) }
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

    private mutating func scanValue(at value: TOMLPlaces, depth: Int) throws(TextFileError) {
        switch current {
        case Self.quote?, Self.apostrophe?: _ = try scanString()
        case UInt8(ascii: "[")?:
            if depth > PropertyListValue.maximumNesting { throw .tooDeep(at: place) }
            try scanArray(depth: depth + 1)
        case UInt8(ascii: "{")?:
            if depth > PropertyListValue.maximumNesting { throw .tooDeep(at: place) }
            try scanInlineTable(at: value, depth: depth + 1)
        default: try scanBareValue()
        }
    }

    private mutating func scanArray(depth: Int) throws(TextFileError) {
        advance()
        try skipBlankLines()
        while !consume("]") {
            try scanValue(at: TOMLPlaces(.value, at: place), depth: depth)
            try skipBlankLines()
            if consume(",") {
                try skipBlankLines()
            } else if current != UInt8(ascii: "]") {
                throw error("`,` or `]` after the element")
            }
        }
    }

    private mutating func scanInlineTable(at value: TOMLPlaces, depth: Int) throws(TextFileError) {
        advance()
        skipSpace()
        if consume("}") { return }
        repeat {
            try scanMember(of: value, depth: depth)
            skipSpace()
        } while consume(",")
        guard consume("}") else { throw error("`,` or `}` in the same line after the member") }
    }

    private mutating func scanBareValue() throws(TextFileError) {
        let (start, place) = (position, place)
        while let byte = current, !",]}#\r\n".utf8.contains(byte) { advance() }
        var end = position
        while end > start, bytes[end - 1] == UInt8(ascii: " ") || bytes[end - 1] == UInt8(ascii: "\t") { end -= 1 }
        guard end > start else { throw error("a value") }
        try TOMLBareValue(bytes[start..<end]).check(at: place)
    }

    // MARK: - Strings

    /// Reads a string of any kind.
    ///
    /// - Returns: The text, if it is one of one line.
    private mutating func scanString() throws(TextFileError) -> String {
        let start = place
        let quote = current ?? Self.quote
        let isMultiline = consume(Self.tripled(quote))
        if !isMultiline { advance() }
        var text: [UInt8] = []
        while let byte = current {
            if byte == quote {
                if !isMultiline {
                    advance()
                    return String(decoding: text, as: UTF8.self)
                }
                if consume(Self.tripled(quote)) {
                    // One or two quotes may be the end of the text.
                    for _ in 0..<2 where current == quote { advance() }
                    return ""
                }
                advance()
            } else if byte == UInt8(ascii: "\\"), quote == Self.quote {
                try scanEscape(to: &text, isMultiline: isMultiline)
            } else if isMultiline, consume("\r\n") || consume("\n") {
                continue
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
            // A backslash at the end of a line, which then is no part of the text.
            guard isMultiline else { throw .escape(at: place) }
            skipSpace()
            guard isAt("\n") || isAt("\r\n") else { throw .escape(at: place) }
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
        while let byte = current, !isAt("\n"), !isAt("\r\n") {
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
#endif
