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

    /// Reads a text that is one value, with optional space and comments around it.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - levels: How deep collections may be nested.
    /// - Throws: ``TextFormatError`` if the text is anything else.
    package static func parse(
        _ text: String,
        levels: Int = PropertyListValue.maximumNesting
    ) throws(TextFormatError) -> PropertyListValue {
        var text = text
        // `withUTF8` does not pass on the type of an error.
        let result: Result<PropertyListValue, TextFormatError> = text.withUTF8 { bytes in
            Result { () throws(TextFormatError) in
                var reader = OldStyleReader(cursor: TextCursor(bytes))
                return try reader.readWholeText(levels: levels)
            }
        }
        return try result.get()
    }

    /// The value of a text that begins with the bracket or quotation mark of a property list.
    ///
    /// - Returns: `nil` for any other text, including one that only begins like a property list.
    static func parseMarked(_ text: String) -> PropertyListValue? {
        guard let first = text.utf8.first, "{(<\"".utf8.contains(first) else { return nil }
        return try? parse(text)
    }

    private mutating func readWholeText(levels: Int) throws(TextFormatError) -> PropertyListValue {
        let value = try readValue(levels: levels)
        try skipSpaceAndComments()
        guard cursor.isAtEnd else { throw cursor.error("\(cursor.currentDescription) follows the value") }
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
        _ = cursor.take()
        var entries: PropertyListDictionary = [:]
        while true {
            try skipSpaceAndComments()
            if cursor.consume(UInt8(ascii: "}")) { return entries }
            let start = cursor.position
            let key = try readString(as: "a key or “}”")
            try skipSpaceAndComments()
            // As in strings files, the value of a key without one is the key.
            let value = cursor.consume(UInt8(ascii: "=")) ? try readValue(levels: levels - 1) : .string(key)
            guard entries.updateValue(value, forKey: key) == nil else {
                throw cursor.error("the key \(key.quoted) is there twice", at: start)
            }
            try skipSpaceAndComments()
            guard cursor.consume(UInt8(ascii: ";")) || cursor.current == UInt8(ascii: "}") else {
                throw cursor.error("“;” is expected instead of \(cursor.currentDescription)")
            }
        }
    }

    private mutating func readArray(levels: Int) throws(TextFormatError) -> [PropertyListValue] {
        guard levels > 0 else { throw cursor.nestingError() }
        _ = cursor.take()
        var elements: [PropertyListValue] = []
        while true {
            try skipSpaceAndComments()
            if cursor.consume(UInt8(ascii: ")")) { return elements }
            elements.append(try readValue(levels: levels - 1))
            try skipSpaceAndComments()
            guard cursor.consume(UInt8(ascii: ",")) || cursor.current == UInt8(ascii: ")") else {
                throw cursor.error("“,” or “)” is expected instead of \(cursor.currentDescription)")
            }
        }
    }

    private mutating func readData() throws(TextFormatError) -> Data {
        _ = cursor.take()
        var digits: [UInt8] = []
        while true {
            cursor.skipSpace()
            if cursor.consume(UInt8(ascii: ">")) { break }
            guard let digit = cursor.current.hexadecimalDigit else {
                throw cursor.error("a hexadecimal digit or “>” is expected instead of \(cursor.currentDescription)")
            }
            digits.append(digit)
            _ = cursor.take()
        }
        guard digits.count.isMultiple(of: 2) else { throw cursor.error("the data ends in half a byte") }
        return Data(stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }

    private mutating func readString(as role: String) throws(TextFormatError) -> String {
        let quote = cursor.current
        if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            return try OldStyleQuotedString.read(from: &cursor, quote: quote)
        }
        let word = cursor.take(while: OldStyleQuotedString.isUnquoted)
        guard !word.isEmpty else {
            throw cursor.error("\(role) is expected instead of \(cursor.currentDescription)")
        }
        return String(decoding: word, as: UTF8.self)
    }

    private mutating func skipSpaceAndComments() throws(TextFormatError) {
        while true {
            cursor.skipSpace()
            if cursor.consume("//") {
                _ = cursor.take { $0 != UInt8(ascii: "\n") }
            } else if cursor.isAt("/*") {
                let start = cursor.position
                _ = cursor.consume("/*")
                guard cursor.skip(through: "*/") else {
                    throw cursor.error("the comment has no end", at: start)
                }
            } else {
                return
            }
        }
    }
}

/// Strings of old-style property lists, with and without quotes.
package enum OldStyleQuotedString {
    /// Whether a reader accepts the byte in a string without quotes.
    package static func isUnquoted(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || "_$/:.-".utf8.contains(byte)
    }

    /// Reads a string whose opening quote comes next.
    ///
    /// - Throws: ``TextFormatError`` if the string has no end or an unknown escape.
    package static func read(from cursor: inout TextCursor, quote: UInt8) throws(TextFormatError) -> String {
        let start = cursor.position
        _ = cursor.take()
        var text = ""
        while !cursor.isAtEnd {
            if cursor.consume(quote) { return text }
            if cursor.current == UInt8(ascii: "\\") {
                text.unicodeScalars.append(try readEscape(from: &cursor))
            } else {
                let plain = cursor.take { $0 != quote && $0 != UInt8(ascii: "\\") }
                text += String(decoding: plain, as: UTF8.self)
            }
        }
        throw cursor.error("the quoted string has no end", at: start)
    }

    private static func readEscape(from cursor: inout TextCursor) throws(TextFormatError) -> Unicode.Scalar {
        let start = cursor.position
        _ = cursor.take()
        guard !cursor.isAtEnd else { throw cursor.error("the quoted string has no end", at: start) }
        switch cursor.current {
        case UInt8(ascii: "U"):
            return try readUnicode(from: &cursor, start: start)
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            return try readOctal(from: &cursor, start: start)
        case let byte:
            guard byte < 0x80 else { throw cursor.error("“\\” is followed by no escape", at: start) }
            _ = cursor.take()
            return Unicode.Scalar(controls[byte] ?? byte)
        }
    }

    private static let controls: [UInt8: UInt8] = [
        UInt8(ascii: "a"): 0x07, UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A,
        UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09, UInt8(ascii: "v"): 0x0B,
    ]

    private static func readOctal(from cursor: inout TextCursor, start: Int) throws(TextFormatError) -> Unicode.Scalar {
        var code: UInt16 = 0
        for _ in 0..<3 {
            guard (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(cursor.current), let digit = cursor.takeDigit()
            else {
                break
            }
            code = code * 8 + UInt16(digit)
        }
        // Above ASCII the format means the NeXTSTEP encoding, which nothing writes today.
        guard let ascii = UInt8(exactly: code), ascii < 0x80 else {
            throw cursor.error("an octal escape ends at \\177, beyond it \\Uxxxx is used", at: start)
        }
        return Unicode.Scalar(ascii)
    }

    private static func readUnicode(
        from cursor: inout TextCursor,
        start: Int
    ) throws(TextFormatError) -> Unicode.Scalar {
        let unit = readUnit(from: &cursor)
        if let unit, let scalar = Unicode.Scalar(unit) { return scalar }
        if let unit, UTF16.isLeadSurrogate(unit), cursor.consume(UInt8(ascii: "\\")),
            cursor.current == UInt8(ascii: "U"),
            let trail = readUnit(from: &cursor), UTF16.isTrailSurrogate(trail)
        {
            return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
        }
        throw cursor.error("\\U is not followed by a UTF-16 unit of four digits or a pair of them", at: start)
    }

    /// Reads the UTF-16 unit after a `U` that comes next.
    private static func readUnit(from cursor: inout TextCursor) -> UInt16? {
        _ = cursor.take()
        var unit: UInt16?
        for _ in 0..<4 {
            guard let digit = cursor.current.hexadecimalDigit else { break }
            unit = (unit ?? 0) << 4 | UInt16(digit)
            _ = cursor.take()
        }
        return unit
    }
}
