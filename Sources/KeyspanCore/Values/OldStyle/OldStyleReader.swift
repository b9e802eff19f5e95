#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Reads old-style (OpenStep, ASCII) property lists: `{a = 1; b = (x, "y z"); c = <0fbd77>;}`.
///
/// The format has strings, data, arrays and dictionaries only; a number in it is a string.
///
/// - SeeAlso: *Old-Style ASCII Property Lists* in Apple's *Property List Programming Guide*.
package struct OldStyleReader {
    private var cursor: TextCursor

    /// Reads one value that is the whole text, but for space and comments around it.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - levels: How deep collections may be nested.
    /// - Throws: ``TextFormatError`` if the text is anything else.
    package static func parse(
        _ text: String,
        levels: Int = PropertyListValue.maximumNesting
    ) throws(TextFormatError) -> PropertyListValue {
        var reader = OldStyleReader(cursor: TextCursor(text))
        let value = try reader.readValue(levels: levels)
        try reader.skipSpaceAndComments()
        guard reader.cursor.isAtEnd else {
            throw reader.cursor.error("\(reader.cursor.currentDescription) follows the value")
        }
        return value
    }

    private mutating func readValue(levels: Int) throws(TextFormatError) -> PropertyListValue {
        try skipSpaceAndComments()
        switch cursor.current {
        case UInt8(ascii: "{"): return .dictionary(try readDictionary(levels: levels))
        case UInt8(ascii: "("): return .array(try readArray(levels: levels))
        case UInt8(ascii: "<"): return .data(try readData())
        default: return .string(try readString(as: "a value"))
        }
    }

    private mutating func readDictionary(levels: Int) throws(TextFormatError) -> PropertyListDictionary {
        guard levels > 0 else { throw cursor.nestingError() }
        cursor.advance()
        var entries: PropertyListDictionary = [:]
        while true {
            try skipSpaceAndComments()
            if cursor.consume("}") { return entries }
            let start = cursor.position
            let key = try readString(as: "a key or “}”")
            try skipSpaceAndComments()
            // A key without a value is its own value, as in strings files.
            let value = cursor.consume("=") ? try readValue(levels: levels - 1) : .string(key)
            guard entries.updateValue(value, forKey: key) == nil else {
                throw cursor.error("the key \(key.debugDescription) is there twice", at: start)
            }
            try skipSpaceAndComments()
            guard cursor.consume(";") || cursor.current == UInt8(ascii: "}") else {
                throw cursor.error("“;” is expected instead of \(cursor.currentDescription)")
            }
        }
    }

    private mutating func readArray(levels: Int) throws(TextFormatError) -> [PropertyListValue] {
        guard levels > 0 else { throw cursor.nestingError() }
        cursor.advance()
        var elements: [PropertyListValue] = []
        while true {
            try skipSpaceAndComments()
            if cursor.consume(")") { return elements }
            elements.append(try readValue(levels: levels - 1))
            try skipSpaceAndComments()
            guard cursor.consume(",") || cursor.current == UInt8(ascii: ")") else {
                throw cursor.error("“,” or “)” is expected instead of \(cursor.currentDescription)")
            }
        }
    }

    private mutating func readData() throws(TextFormatError) -> Data {
        cursor.advance()
        var digits: [UInt8] = []
        while true {
            cursor.skipSpace()
            if cursor.consume(">") { break }
            guard let digit = cursor.current?.hexadecimalDigit else {
                throw cursor.error("a hexadecimal digit or “>” is expected instead of \(cursor.currentDescription)")
            }
            digits.append(digit)
            cursor.advance()
        }
        guard digits.count.isMultiple(of: 2) else { throw cursor.error("the data ends in half a byte") }
        return Data(stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }

    private mutating func readString(as role: String) throws(TextFormatError) -> String {
        if let quote = cursor.current, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            return try OldStyleQuotedString.read(from: &cursor, quote: quote)
        }
        let word = cursor.consume(while: OldStyleQuotedString.isUnquoted)
        guard !word.isEmpty else {
            throw cursor.error("\(role) is expected instead of \(cursor.currentDescription)")
        }
        return word
    }

    private mutating func skipSpaceAndComments() throws(TextFormatError) {
        while true {
            cursor.skipSpace()
            if cursor.consume("//") {
                _ = cursor.consume { $0 != UInt8(ascii: "\n") }
            } else if cursor.isAt("/*") {
                let start = cursor.position
                _ = cursor.consume("/*")
                guard cursor.consume(through: "*/") != nil else {
                    throw cursor.error("the comment has no end", at: start)
                }
            } else {
                return
            }
        }
    }
}
