@_spi(StoreAuthors) internal import KeyspanCore
@_spi(StoreAuthors) internal import KeyspanFileStore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A value without quotes and brackets: a boolean, a number or a date.
struct TOMLBareValue {
    let text: String

    init(_ bytes: ArraySlice<UInt8>) {
        text = String(decoding: bytes, as: UTF8.self)
    }

    /// The value, if a property list holds it.
    func value(at place: LineAndColumn) throws(TextFileError) -> PropertyListValue {
        if text.hasSameUTF8(as: "true") { return .boolean(true) }
        if text.hasSameUTF8(as: "false") { return .boolean(false) }
        if let date { return date }
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let unsigned = isNegative || text.utf8.first == UInt8(ascii: "+") ? Substring(text.utf8.dropFirst()) : text[...]
        if unsigned == "inf" { return .real(isNegative ? -.infinity : .infinity) }
        if unsigned == "nan" { return .real(.nan) }
        if let radix = Self.radix(of: text) {
            guard let digits = Self.digits(text.dropFirst(2), radix: radix) else { throw .value(at: place) }
            guard let integer = Int64(digits, radix: radix) else { throw .integerRange(at: place) }
            return .integer(PropertyListInteger(integer))
        }
        let whole = unsigned.prefix { $0 != "." && $0 != "e" && $0 != "E" }
        guard let digits = Self.digits(whole, radix: 10), digits == "0" || !digits.hasPrefix("0") else {
            throw .value(at: place)
        }
        let sign = isNegative ? "-" : ""
        if whole.endIndex == unsigned.endIndex {
            guard let integer = Int64(sign + digits) else { throw .integerRange(at: place) }
            return .integer(PropertyListInteger(integer))
        }
        guard let rest = Self.fractionAndExponent(unsigned[whole.endIndex...]) else { throw .value(at: place) }
        do throws(JSONTextError) {
            return try JSONText.parse(Array((sign + digits + rest).utf8))
        } catch {
            let remedy = "round it to 15 digits, or write it in quotes as a text"
            throw TextFileError(at: place, expected: error.expected, found: error.found, remedy: remedy)
        }
    }

    // MARK: - Numbers

    private static func radix(of text: String) -> Int? {
        if text.hasPrefix("0x") { return 16 }
        if text.hasPrefix("0o") { return 8 }
        return text.hasPrefix("0b") ? 2 : nil
    }

    static func isDigit(_ byte: UInt8, radix: Int) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0")) < radix
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): radix == 16
        default: false
        }
    }

    /// The digits without underscores, each of which must be between two digits; `nil` for anything else.
    private static func digits(_ text: Substring, radix: Int) -> String? {
        let groups = text.utf8.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false)
        guard groups.allSatisfy({ group in !group.isEmpty && group.allSatisfy { isDigit($0, radix: radix) } }) else {
            return nil
        }
        return String(decoding: text.utf8.filter { $0 != UInt8(ascii: "_") }, as: UTF8.self)
    }

    /// The rest of a real behind its whole part, as JSON writes it; `nil` for anything else.
    private static func fractionAndExponent(_ text: Substring) -> String? {
        var (rest, json) = (text, "")
        if rest.first == "." {
            let fraction = rest.dropFirst().prefix { $0 != "e" && $0 != "E" }
            guard let digits = digits(fraction, radix: 10) else { return nil }
            json = "." + digits
            rest = rest[fraction.endIndex...]
        }
        guard rest.first == "e" || rest.first == "E" else { return rest.isEmpty ? json : nil }
        rest = rest.dropFirst()
        json += "e"
        if let sign = rest.first, sign == "+" || sign == "-" {
            json.append(sign)
            rest = rest.dropFirst()
        }
        return digits(rest, radix: 10).map { json + $0 }
    }

    // MARK: - Dates

    /// The point in time, or the text of a date, a time, or both without an offset, which is none; `nil` for anything else, and for a
    /// date or time that does not exist.
    private var date: PropertyListValue? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 8, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        if bytes[2] == UInt8(ascii: ":") {
            return DateText.interval(from: "2000-01-01T\(text)Z").map { _ in .string(Self.shortened(text)) }
        }
        guard bytes.count >= 10, bytes[4] == UInt8(ascii: "-") else { return nil }
        if bytes.count == 10 { return DateText.interval(from: text + "T00:00:00Z").map { _ in .string(text) } }
        guard "Tt ".utf8.contains(bytes[10]) else { return nil }
        let instant = "\(text.prefix(10))T\(text.dropFirst(11))"
        if let interval = DateText.interval(from: instant) {
            return .date(Date(timeIntervalSinceReferenceDate: interval))
        }
        return DateText.interval(from: instant + "Z").map { _ in .string(Self.shortened(instant)) }
    }

    /// A time without the zeros at the end of its fraction.
    private static func shortened(_ time: String) -> String {
        guard time.utf8.contains(UInt8(ascii: ".")) else { return time }
        var digits = time[...]
        while digits.utf8.last == UInt8(ascii: "0") { digits.removeLast() }
        if digits.utf8.last == UInt8(ascii: ".") { digits.removeLast() }
        return String(digits)
    }
}

extension TextFileError {
    fileprivate static func value(at place: LineAndColumn) -> TextFileError {
        TextFileError(
            at: place,
            expected: "a string in quotes, a number, `true`, `false`, a date, an array or a table",
            found: "something else",
            remedy: "put a text in quotes"
        )
    }

    fileprivate static func integerRange(at place: LineAndColumn) -> TextFileError {
        TextFileError(
            at: place,
            expected: "an integer from -2^63 to 2^63-1",
            found: "an integer outside that range",
            remedy: "write it with a decimal point as a real if a Double keeps it, or in quotes as a text"
        )
    }
}
