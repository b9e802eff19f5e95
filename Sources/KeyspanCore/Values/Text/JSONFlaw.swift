/// Finds the place at which a text that is meant as JSON stops being JSON, for errors about a text that was rejected.
///
/// `JSONDecoder` decides what is accepted; its errors have no place that is the same on all systems.
///
/// - SeeAlso: RFC 8259.
struct JSONFlaw {
    private var cursor: TextCursor

    /// The nested collections that are examined: threads may have little stack.
    private static let mostLevels = 32

    /// The first flaw of a text; `nil` if there is none.
    static func first(in text: String) -> TextFormatError? {
        var text = text
        return text.withUTF8 { bytes in
            do throws(TextFormatError) {
                var reader = Self(cursor: TextCursor(bytes))
                try reader.readText()
                return nil
            } catch {
                return error
            }
        }
    }

    private mutating func readText() throws(TextFormatError) {
        try readValue(levels: Self.mostLevels)
        cursor.skipWhitespace()
        guard cursor.isAtEnd else { throw cursor.error("\(cursor.currentDescription) follows the value") }
    }

    private mutating func readValue(levels: Int) throws(TextFormatError) {
        guard levels > 0 else { throw cursor.error("there are more than \(Self.mostLevels) nested collections") }
        cursor.skipWhitespace()
        switch cursor.current {
        case UInt8(ascii: "{"): try readItems(upTo: "}", levels: levels, hasNames: true)
        case UInt8(ascii: "["): try readItems(upTo: "]", levels: levels, hasNames: false)
        case UInt8(ascii: "\""): try readString()
        default: try readLiteral()
        }
    }

    private mutating func readItems(upTo end: Unicode.Scalar, levels: Int, hasNames: Bool) throws(TextFormatError) {
        let endByte = UInt8(ascii: end)
        _ = cursor.take()
        cursor.skipWhitespace()
        if cursor.consume(endByte) { return }
        while true {
            if hasNames { try readName() }
            try readValue(levels: levels - 1)
            cursor.skipWhitespace()
            if cursor.consume(endByte) { return }
            guard cursor.consume(UInt8(ascii: ",")) else {
                throw cursor.error("“,” or “\(end)” is expected instead of \(cursor.currentDescription)")
            }
        }
    }

    private mutating func readName() throws(TextFormatError) {
        cursor.skipWhitespace()
        guard cursor.current == UInt8(ascii: "\"") else {
            throw cursor.error("a name in double quotes is expected instead of \(cursor.currentDescription)")
        }
        try readString()
        cursor.skipWhitespace()
        guard cursor.consume(UInt8(ascii: ":")) else {
            throw cursor.error("“:” is expected instead of \(cursor.currentDescription)")
        }
    }

    private mutating func readString() throws(TextFormatError) {
        let start = cursor.position
        _ = cursor.take()
        while let byte = cursor.take() {
            switch byte {
            case UInt8(ascii: "\""): return
            case UInt8(ascii: "\\"): _ = cursor.take()
            case 0..<0x20:
                throw cursor.error("a control character in a string is written as an escape", at: cursor.position - 1)
            default: break
            }
        }
        throw cursor.error("the string has no closing quote", at: start)
    }

    private mutating func readLiteral() throws(TextFormatError) {
        let start = cursor.position
        let word = cursor.take { byte in byte.isAlphanumeric || "+-.".utf8.contains(byte) }
        guard !word.isEmpty else { throw cursor.error("a value is expected instead of \(cursor.currentDescription)") }
        let text = cursor.text(from: start)
        if text.hasSameUTF8(as: "true") || text.hasSameUTF8(as: "false") { return }
        if text.hasSameUTF8(as: "null") { throw cursor.error("no setting can have null as its value", at: start) }
        let isNumeral = DecimalNumeral(text) != nil && text.utf8.first != UInt8(ascii: "+")
        guard isNumeral else { throw cursor.error("text is expected in double quotes", at: start) }
    }
}
