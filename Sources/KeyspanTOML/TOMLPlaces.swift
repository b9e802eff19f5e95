#if TOML
@_spi(StoreAuthors) internal import KeyspanCore
@_spi(StoreAuthors) internal import KeyspanFileStore

/// The places of the names of a TOML text, of which TOMLKit says nothing.
///
/// They are found before TOMLKit reads the text, and with them what it would not survive or not notice: keys of so many parts that the
/// tables in each other exhaust the stack, NUL characters, and reals whose digits a `Double` does not keep.
final class TOMLPlaces {
    enum Kind {
        /// A table that exists because a table in it does.
        case implicit
        case table
        case arrayOfTables
        case value
    }

    fileprivate(set) var place: LineAndColumn
    fileprivate(set) var kind: Kind
    /// The names in the table, or in the last table of an array.
    fileprivate(set) var members: TextDictionary<TOMLPlaces> = [:]

    fileprivate init(_ kind: Kind, at place: LineAndColumn) {
        self.kind = kind
        self.place = place
    }

    /// Finds the places of a text.
    ///
    /// - Returns: The places up to the first error, and the number of bytes up to the end of its line; `nil` without one. TOMLKit
    ///   describes such an error.
    /// - Throws: ``TextFileError`` for a text that TOMLKit must not see, and for a name that is there twice.
    static func find(in bytes: [UInt8]) throws(TextFileError) -> (places: TOMLPlaces, errorEnd: Int?) {
        var scanner = TOMLScanner(bytes)
        do throws(TOMLScanner.Stop) {
            try scanner.scanText()
            return (scanner.root, nil)
        } catch {
            switch error {
            case .refused(let error): throw error
            case .malformed:
                let end = bytes[scanner.position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
                return (scanner.root, end)
            }
        }
    }
}

/// Skips through a TOML text, and notes the places of the names.
private struct TOMLScanner {
    enum Stop: Error {
        case malformed
        case refused(TextFileError)
    }

    let root = TOMLPlaces(.table, at: LineAndColumn(line: 1, column: 1))
    private let bytes: [UInt8]
    private(set) var position = 0
    private var line = 1
    private var column = 1

    private static let quote = UInt8(ascii: "\"")
    private static let apostrophe = UInt8(ascii: "'")

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func scanText() throws(Stop) {
        var table = root
        while true {
            skipBlankLines()
            guard let byte = current else { return }
            if byte == UInt8(ascii: "[") {
                table = try scanHeader()
            } else {
                try scanMember(of: table, depth: 0)
            }
            skipSpace()
            skipComment()
            guard current == nil || consume("\n") || consume("\r\n") else { throw .malformed }
        }
    }

    // MARK: - Tables and members

    private mutating func scanHeader() throws(Stop) -> TOMLPlaces {
        let isArray = consume("[[")
        if !isArray { advance() }
        let names = try scanNames()
        guard consume(isArray ? "]]" : "]"), let last = names.last else { throw .malformed }
        let parent = try table(names.dropLast(), in: root)
        guard let present = parent.members[last.text] else {
            let new = TOMLPlaces(isArray ? .arrayOfTables : .table, at: last.place)
            parent.members[last.text] = new
            return new
        }
        switch (present.kind, isArray) {
        case (.implicit, false): present.kind = .table
        case (.arrayOfTables, true): present.members = [:]
        default: throw .refused(.duplicate(last.text, first: present.place, at: last.place))
        }
        return present
    }

    private mutating func scanMember(of table: TOMLPlaces, depth: Int) throws(Stop) {
        let names = try scanNames()
        guard consume("="), let last = names.last else { throw .malformed }
        skipSpace()
        let parent = try self.table(names.dropLast(), in: table)
        if let present = parent.members[last.text] {
            throw .refused(.duplicate(last.text, first: present.place, at: last.place))
        }
        let value = TOMLPlaces(.value, at: last.place)
        parent.members[last.text] = value
        try scanValue(at: value, depth: depth)
    }

    /// The table to which names lead from another one.
    private func table(_ names: ArraySlice<(text: String, place: LineAndColumn)>, in table: TOMLPlaces) throws(Stop) -> TOMLPlaces {
        var table = table
        for (name, place) in names {
            if let present = table.members[name] {
                if present.kind == .value { throw .refused(.duplicate(name, first: present.place, at: place)) }
                table = present
            } else {
                let new = TOMLPlaces(.implicit, at: place)
                table.members[name] = new
                table = new
            }
        }
        return table
    }

    /// Reads a key with dots, and the space around it.
    private mutating func scanNames() throws(Stop) -> [(text: String, place: LineAndColumn)] {
        var names: [(text: String, place: LineAndColumn)] = []
        repeat {
            skipSpace()
            let place = place
            switch current {
            case Self.quote?, Self.apostrophe?:
                if isAt("\"\"\"") || isAt("'''") { throw .malformed }
                names.append((try scanString(), place))
            default:
                let start = position
                while let byte = current, byte.isBareKeyByte { advance() }
                if position == start { throw .malformed }
                names.append((String(decoding: bytes[start..<position], as: UTF8.self), place))
            }
            if names.count > PropertyListValue.maximumNesting { throw .refused(.tooDeep(at: place)) }
            skipSpace()
        } while consume(".")
        return names
    }

    // MARK: - Values

    private mutating func scanValue(at value: TOMLPlaces, depth: Int) throws(Stop) {
        switch current {
        case Self.quote?, Self.apostrophe?: _ = try scanString()
        case UInt8(ascii: "[")?, UInt8(ascii: "{")?:
            if depth > PropertyListValue.maximumNesting { throw .refused(.tooDeep(at: place)) }
            try scanCollection(at: value, depth: depth + 1)
        default: try scanBareValue()
        }
    }

    private mutating func scanCollection(at value: TOMLPlaces, depth: Int) throws(Stop) {
        let isTable = consume("{")
        if !isTable { advance() }
        let end = isTable ? "}" : "]"
        repeat {
            skipBlankLines()
            if consume(end) { return }
            if isTable {
                try scanMember(of: value, depth: depth)
            } else {
                try scanValue(at: TOMLPlaces(.value, at: place), depth: depth)
            }
            skipBlankLines()
        } while consume(",")
        guard consume(end) else { throw .malformed }
    }

    private mutating func scanBareValue() throws(Stop) {
        let (start, place) = (position, place)
        while let byte = current, !",]}#\r\n".utf8.contains(byte) { advance() }
        if position == start { throw .malformed }
        let text = bytes[start..<position].filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        let numeral = text.first == UInt8(ascii: "+") ? text.dropFirst() : text[...]
        guard numeral.contains(where: { ".eE".utf8.contains($0) }), !numeral.contains(UInt8(ascii: ":")) else { return }
        do throws(JSONTextError) {
            _ = try JSONText.parse(Array(numeral))
        } catch {
            // Anything but a real is for TOMLKit.
            guard error.expected.hasPrefix("a number") else { return }
            let remedy = "round it to 15 digits, or write it in quotes as a text"
            throw .refused(TextFileError(at: place, expected: error.expected, found: error.found, remedy: remedy))
        }
    }

    /// Skips a string of any kind.
    ///
    /// - Returns: The text of a string of one line.
    private mutating func scanString() throws(Stop) -> String {
        let quote = current ?? Self.quote
        let mark = String(UnicodeScalar(quote))
        let isMultiline = consume(mark + mark + mark)
        if !isMultiline { advance() }
        var text: [UInt8] = []
        while let byte = current {
            if byte == quote {
                if !isMultiline {
                    advance()
                    return String(decoding: text, as: UTF8.self)
                }
                if consume(mark + mark + mark) {
                    // Two quotes may be the end of the text.
                    if consume(mark) { _ = consume(mark) }
                    return ""
                }
            }
            if byte == UInt8(ascii: "\n"), !isMultiline { throw .malformed }
            if byte == UInt8(ascii: "\\"), quote == Self.quote {
                try scanEscape(to: &text)
            } else {
                if !isMultiline { text.append(byte) }
                advance()
            }
        }
        throw .malformed
    }

    private mutating func scanEscape(to text: inout [UInt8]) throws(Stop) {
        let place = place
        advance()
        guard let byte = current else { throw .malformed }
        advance()
        switch byte {
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "u"), UInt8(ascii: "U"):
            let digits = bytes[position...].prefix(byte == UInt8(ascii: "u") ? 4 : 8)
            guard let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16), let scalar = UnicodeScalar(code)
            else { throw .malformed }
            if code == 0 { throw .refused(.nulCharacter(at: place)) }
            for _ in digits { advance() }
            text.append(contentsOf: Array(String(scalar).utf8))
        // A quote, a backslash, or in a text of several lines the end of the line.
        default: text.append(byte)
        }
    }

    // MARK: - Bytes

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private var place: LineAndColumn { LineAndColumn(line: line, column: column) }

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

    private mutating func skipComment() {
        guard current == UInt8(ascii: "#") else { return }
        while let byte = current, byte != UInt8(ascii: "\n") { advance() }
    }

    private mutating func skipBlankLines() {
        while let byte = current, " \t\r\n#".utf8.contains(byte) {
            if byte == UInt8(ascii: "#") { skipComment() } else { advance() }
        }
    }
}

extension UInt8 {
    fileprivate var isBareKeyByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
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
}
#endif
