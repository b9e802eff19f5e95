/// The strings of old-style property lists: which need no quotes, and the escapes of those that have them.
package enum OldStyleQuotedString {
    /// Whether a byte can be in a string without quotes when it is read.
    package static func isUnquoted(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || "_$/:.-".utf8.contains(byte)
    }

    /// Reads a string whose opening quote comes next.
    ///
    /// - Throws: ``TextFormatError`` if the string has no end or an escape that means nothing.
    package static func read(from cursor: inout TextCursor, quote: UInt8) throws(TextFormatError) -> String {
        let start = cursor.position
        cursor.advance()
        var text = ""
        while let byte = cursor.current {
            if byte == quote {
                cursor.advance()
                return text
            } else if byte == UInt8(ascii: "\\") {
                text.unicodeScalars.append(try readEscape(from: &cursor))
            } else {
                text += cursor.consume { $0 != quote && $0 != UInt8(ascii: "\\") }
            }
        }
        throw cursor.error("the quoted string has no end", at: start)
    }

    private static func readEscape(from cursor: inout TextCursor) throws(TextFormatError) -> Unicode.Scalar {
        let start = cursor.position
        cursor.advance()
        guard let byte = cursor.current else { throw cursor.error("the quoted string has no end", at: start) }
        switch byte {
        case UInt8(ascii: "U"):
            return try readUnicode(from: &cursor, start: start)
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            return try readOctal(from: &cursor, start: start)
        default:
            guard byte < 0x80 else { throw cursor.error("“\\” is followed by no escape", at: start) }
            cursor.advance()
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
            guard let byte = cursor.current, (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(byte) else { break }
            code = code * 8 + UInt16(byte - UInt8(ascii: "0"))
            cursor.advance()
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
        if let unit, UTF16.isLeadSurrogate(unit), cursor.consume("\\"), cursor.current == UInt8(ascii: "U"),
            let trail = readUnit(from: &cursor), UTF16.isTrailSurrogate(trail)
        {
            return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
        }
        throw cursor.error("\\U is not followed by a UTF-16 unit of four digits or a pair of them", at: start)
    }

    /// The unit after a `U` that comes next.
    private static func readUnit(from cursor: inout TextCursor) -> UInt16? {
        cursor.advance()
        var unit: UInt16?
        for _ in 0..<4 {
            guard let digit = cursor.current?.hexadecimalDigit else { break }
            unit = (unit ?? 0) << 4 | UInt16(digit)
            cursor.advance()
        }
        return unit
    }
}
