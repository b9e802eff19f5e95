import Keyspan

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads XML property lists, with or without the `<plist>` element around the value.
///
/// Foundation's `PropertyListDecoder` is not used because it cannot tell `<real>1</real>` from `<integer>1</integer>`:
/// both decode as `Int` and as `Double`. It reads the string `$null` as nothing, too.
struct XMLPropertyListReader {
    private var scanner: XMLScanner

    /// Whether a text begins as an XML property list does, and not as data of an old-style one.
    static func recognizes(_ text: some StringProtocol) -> Bool {
        let start = text.drop { $0.isWhitespace }
        guard start.first == "<", let second = start.dropFirst().first else { return false }
        return second == "?" || second == "!" || elementNames.contains { start.dropFirst().hasPrefix($0) }
    }

    /// Reads the value of a document.
    static func parse(_ text: String) throws(TextFormatError) -> PropertyListValue {
        var reader = XMLPropertyListReader(scanner: XMLScanner(text))
        try reader.scanner.skipProlog()
        let value = try reader.readRoot()
        try reader.scanner.skipSpaceAndComments()
        try reader.scanner.expectEnd()
        return value
    }

    private static let elementNames = [
        "plist", "dict", "array", "string", "integer", "real", "true", "false", "date", "data",
    ]

    private mutating func readRoot() throws(TextFormatError) -> PropertyListValue {
        let tag = try scanner.readOpeningTag()
        guard tag.name == "plist" else { return try readValue(of: tag, levels: Document.maximumNesting) }
        guard !tag.isEmpty else { throw scanner.error("<plist> has no value", at: tag.start) }
        let value = try readValue(of: try scanner.readOpeningTag(), levels: Document.maximumNesting)
        try scanner.readClosingTag("plist")
        return value
    }

    private mutating func readValue(
        of tag: XMLScanner.Tag,
        levels: Int
    ) throws(TextFormatError) -> PropertyListValue {
        switch tag.name {
        case "dict": return .dictionary(try readDictionary(of: tag, levels: levels))
        case "array": return .array(try readArray(of: tag, levels: levels))
        case "true": return .boolean(try readNothing(of: tag, true))
        case "false": return .boolean(try readNothing(of: tag, false))
        case "string": return .string(try scanner.readText(of: tag))
        case "integer": return .integer(try convert(tag, Self.integer))
        case "real": return .real(try convert(tag, Self.real))
        case "date": return .date(try convert(tag, DateText.parse))
        case "data": return .data(try convert(tag, Self.data))
        default: throw scanner.error("<\(tag.name)> is no element of a property list", at: tag.start)
        }
    }

    private mutating func readDictionary(
        of tag: XMLScanner.Tag,
        levels: Int
    ) throws(TextFormatError) -> [String: PropertyListValue] {
        guard levels > 0 else { throw scanner.nestingError(at: tag.start) }
        var entries: [String: PropertyListValue] = [:]
        while try !scanner.isAtEnd(of: tag) {
            let keyTag = try scanner.readOpeningTag()
            guard keyTag.name == "key" else {
                throw scanner.error("<key> is expected instead of <\(keyTag.name)>", at: keyTag.start)
            }
            let key = try scanner.readText(of: keyTag)
            let value = try readValue(of: try scanner.readOpeningTag(), levels: levels - 1)
            guard entries.updateValue(value, forKey: key) == nil else {
                throw scanner.error("the key \(key.debugDescription) is there twice", at: keyTag.start)
            }
        }
        return entries
    }

    private mutating func readArray(
        of tag: XMLScanner.Tag,
        levels: Int
    ) throws(TextFormatError) -> [PropertyListValue] {
        guard levels > 0 else { throw scanner.nestingError(at: tag.start) }
        var elements: [PropertyListValue] = []
        while try !scanner.isAtEnd(of: tag) {
            elements.append(try readValue(of: try scanner.readOpeningTag(), levels: levels - 1))
        }
        return elements
    }

    private mutating func readNothing(of tag: XMLScanner.Tag, _ value: Bool) throws(TextFormatError) -> Bool {
        try convert(tag) { $0.isEmpty ? value : nil }
    }

    private mutating func convert<Value>(
        _ tag: XMLScanner.Tag,
        _ conversion: (String) -> Value?
    ) throws(TextFormatError) -> Value {
        let text = try scanner.readText(of: tag)
        let first = text.firstIndex { !$0.isWhitespace } ?? text.endIndex
        let last = text.lastIndex { !$0.isWhitespace }.map(text.index(after:)) ?? first
        guard let value = conversion(String(text[first..<last])) else {
            throw scanner.error("the text of <\(tag.name)> is no value of that kind", at: tag.start)
        }
        return value
    }

    private static func integer(_ text: String) -> PropertyListInteger? {
        let isNegative = text.hasPrefix("-")
        let digits = text.hasPrefix("-") || text.hasPrefix("+") ? String(text.dropFirst()) : text
        guard let first = digits.utf8.first, first.isDigit else { return nil }
        let isHexadecimal = digits.hasPrefix("0x") || digits.hasPrefix("0X")
        let magnitude = isHexadecimal ? UInt64(digits.dropFirst(2), radix: 16) : UInt64(digits)
        guard let magnitude else { return nil }
        guard isNegative else { return PropertyListInteger(magnitude) }
        return magnitude > Int64.min.magnitude ? nil : PropertyListInteger(Int64(truncatingIfNeeded: 0 &- magnitude))
    }

    private static func real(_ text: String) -> Double? {
        switch text.lowercased() {
        case "nan": .nan
        case "inf", "infinity", "+inf", "+infinity": .infinity
        case "-inf", "-infinity": -.infinity
        default: Double(text).flatMap { $0.isFinite ? $0 : nil }
        }
    }

    private static func data(_ text: String) -> Data? {
        Data(base64Encoded: text.filter { !$0.isWhitespace })
    }
}
