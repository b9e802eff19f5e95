import KeyspanCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension XMLPropertyListReader {
    /// Reads the text of an element and its closing tag.
    mutating func readText(of tag: XMLTag) throws(XMLFault) -> String {
        if tag.isEmpty { return "" }
        let start = cursor.position
        let isASCII = skipPlainText()
        guard cursor.isAt("</") else {
            try assembleText(of: tag, from: start)
            guard let text = String(validating: assembled, as: UTF8.self) else {
                throw XMLFault(.invalidUTF8, at: start)
            }
            return text
        }
        guard let text = cursor.text(from: start, isASCII: isASCII) else { throw XMLFault(.invalidUTF8, at: start) }
        try readClosingTag(tag.element)
        return text
    }

    /// Reads the text of an element and its closing tag, and converts the text without the space around it.
    mutating func convertText<Value>(
        of tag: XMLTag,
        _ conversion: (UnsafeBufferPointer<UInt8>) -> Value?
    ) throws(XMLFault) -> Value {
        let invalid = XMLFault(.content(tag.element), at: tag.start)
        if tag.isEmpty { throw invalid }
        let start = cursor.position
        _ = skipPlainText()
        let value: Value?
        if cursor.isAt("</") {
            value = conversion(XMLContent.trimmed(cursor.range(from: start)))
            try readClosingTag(tag.element)
        } else {
            try assembleText(of: tag, from: start)
            value = assembled.withUnsafeBufferPointer { conversion(XMLContent.trimmed($0)) }
        }
        guard let value else { throw invalid }
        return value
    }

    /// Reads the number of a real and its closing tag.
    mutating func readReal(of tag: XMLTag) throws(XMLFault) -> Double {
        switch try convertText(of: tag, XMLContent.real) {
        case .success(let value): return value
        case .failure(.range): throw XMLFault(.realRange, at: tag.start)
        case .failure(.digits): throw XMLFault(.realDigits, at: tag.start)
        case .failure(.form): throw XMLFault(.content(tag.element), at: tag.start)
        }
    }

    /// Skips text without markup.
    ///
    /// Foundation writes and reads control characters and carriage returns unchanged. XML would forbid the former and turn the latter
    /// into line feeds, so that existing files would lose them.
    ///
    /// - Returns: Whether the text is ASCII.
    private mutating func skipPlainText() -> Bool {
        var isASCII = true
        while true {
            if !cursor.skipPlainText(upTo: UInt8(ascii: "<"), UInt8(ascii: "&")) { isASCII = false }
            guard !cursor.isAtEnd, cursor.current < ASCII.space else { return isASCII }
            _ = cursor.take()
        }
    }

    /// Assembles the text of an element whose plain beginning was skipped, and reads its closing tag.
    private mutating func assembleText(of tag: XMLTag, from start: Int) throws(XMLFault) {
        assembled.removeAll(keepingCapacity: true)
        cursor.append(from: start, to: &assembled)
        while !cursor.isAtEnd {
            if cursor.current == UInt8(ascii: "&") {
                try appendReference()
            } else if cursor.isAt("<!--") {
                try skipComment()
            } else if cursor.isAt("<?") {
                try skipInstruction()
            } else if cursor.isAt("<![CDATA[") {
                try appendCharacterData()
            } else {
                return try readClosingTag(tag.element)
            }
            let plainStart = cursor.position
            _ = skipPlainText()
            cursor.append(from: plainStart, to: &assembled)
        }
        throw XMLFault(.unclosed(.text), at: tag.start)
    }

    private mutating func appendCharacterData() throws(XMLFault) {
        let start = cursor.position
        _ = cursor.consume("<![CDATA[")
        let textStart = cursor.position
        guard cursor.skip(through: "]]>") else { throw XMLFault(.unclosed(.characterData), at: start) }
        assembled.append(contentsOf: cursor.range(from: textStart).dropLast("]]>".utf8.count))
    }

    private mutating func appendReference() throws(XMLFault) {
        let start = cursor.position
        _ = cursor.take()
        let isNumber = cursor.consume(UInt8(ascii: "#"))
        let name = cursor.take(while: \.isAlphanumeric)
        guard let scalar = isNumber ? XMLContent.scalar(ofNumber: name) : XMLContent.scalar(named: name),
            cursor.consume(UInt8(ascii: ";"))
        else { throw XMLFault(.reference, at: start) }
        assembled.append(contentsOf: scalar.utf8)
    }
}

/// Converts the text of elements; `nil` means that the text is not a value of the element's kind.
enum XMLContent {
    /// The bytes without the whitespace at both ends.
    static func trimmed(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        guard let first = bytes.firstIndex(where: { !$0.isSpace }) else {
            return UnsafeBufferPointer(rebasing: bytes[..<0])
        }
        let last = bytes.lastIndex { !$0.isSpace } ?? first
        return UnsafeBufferPointer(rebasing: bytes[first...last])
    }

    /// An integer in decimal, or in hexadecimal after `0x`.
    static func integer(_ bytes: UnsafeBufferPointer<UInt8>) -> PropertyListInteger? {
        var cursor = TextCursor(bytes)
        let parts = DecimalNumeral.Parts(at: &cursor)
        if cursor.isAtEnd { return parts.isComplete && parts.isWhole ? parts.integer : nil }
        guard parts.isZero, parts.wholeDigits == 1,
            cursor.consume(UInt8(ascii: "x")) || cursor.consume(UInt8(ascii: "X")),
            let magnitude = number(bytes[cursor.position...], radix: 16)
        else { return nil }
        guard parts.isNegative else { return PropertyListInteger(magnitude) }
        return magnitude > Int64.min.magnitude ? nil : PropertyListInteger(Int64(truncatingIfNeeded: 0 &- magnitude))
    }

    /// A real, or one of the names that Apple's parser knows.
    static func real(_ bytes: UnsafeBufferPointer<UInt8>) -> Result<Double, RealNumeral.Flaw> {
        let text = String(decoding: bytes, as: UTF8.self)
        switch text.lowercased() {
        case "nan": return .success(.nan)
        case "inf", "infinity", "+inf", "+infinity": return .success(.infinity)
        case "-inf", "-infinity": return .success(-.infinity)
        default: return Result { () throws(RealNumeral.Flaw) in try RealNumeral.value(of: text) }
        }
    }

    /// Whether a text is a name of XML 1.0, production 5.
    static func isName(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, isNameStart(first) else { return false }
        return text.unicodeScalars.dropFirst().allSatisfy { scalar in
            switch scalar {
            case "-", ".", "0"..."9", "\u{B7}", "\u{300}"..."\u{36F}", "\u{203F}"..."\u{2040}": true
            default: isNameStart(scalar)
            }
        }
    }

    private static func isNameStart(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case ":", "_", "A"..."Z", "a"..."z", "\u{C0}"..."\u{D6}", "\u{D8}"..."\u{F6}", "\u{F8}"..."\u{2FF}",
            "\u{370}"..."\u{37D}", "\u{37F}"..."\u{1FFF}", "\u{200C}"..."\u{200D}", "\u{2070}"..."\u{218F}",
            "\u{2C00}"..."\u{2FEF}", "\u{3001}"..."\u{D7FF}", "\u{F900}"..."\u{FDCF}", "\u{FDF0}"..."\u{FFFC}",
            "\u{10000}"..."\u{EFFFF}":
            true
        default: false
        }
    }

    /// A date in the form of RFC 3339, such as `2026-11-21T10:50:00Z`.
    static func date(_ bytes: UnsafeBufferPointer<UInt8>) -> Date? {
        let text = String(decoding: bytes, as: UTF8.self)
        return DateText.interval(from: text).map(Date.init(timeIntervalSinceReferenceDate:))
    }

    /// Data in Base64, with space anywhere.
    static func data(_ bytes: UnsafeBufferPointer<UInt8>) -> Data? {
        Data(base64Encoded: Data(bytes.filter { !$0.isSpace }))
    }

    /// The character of a reference by name.
    static func scalar(named name: UnsafeBufferPointer<UInt8>) -> Unicode.Scalar? {
        switch String(decoding: name, as: UTF8.self) {
        case "amp": "&"
        case "lt": "<"
        case "gt": ">"
        case "quot": "\""
        case "apos": "'"
        default: nil
        }
    }

    /// The character of a reference by number: the text between `#` and `;`.
    static func scalar(ofNumber name: UnsafeBufferPointer<UInt8>) -> Unicode.Scalar? {
        let isHexadecimal = name.first == UInt8(ascii: "x")
        let digits = isHexadecimal ? name.dropFirst() : name[...]
        return number(digits, radix: isHexadecimal ? 16 : 10).flatMap(UInt32.init(exactly:)).flatMap(
            Unicode.Scalar.init
        )
    }

    private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>, radix: UInt64) -> UInt64? {
        guard !digits.isEmpty else { return nil }
        var number: UInt64 = 0
        for byte in digits {
            guard let digit = byte.hexadecimalDigit, digit < radix else { return nil }
            let (shifted, isTooLarge) = number.multipliedReportingOverflow(by: radix)
            let (sum, overflows) = shifted.addingReportingOverflow(UInt64(digit))
            guard !isTooLarge, !overflows else { return nil }
            number = sum
        }
        return number
    }
}
