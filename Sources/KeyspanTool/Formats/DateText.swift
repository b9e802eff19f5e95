#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Dates as text: RFC 3339, and the form in which `defaults` writes them.
enum DateText {
    /// Reads `2026-11-21T10:50:00Z`, `2026-11-21T12:50:00.25+02:00` or `2026-11-21 10:50:00 +0000`.
    ///
    /// - Returns: `nil` for any other text, and for days and times that do not exist. A zone is never assumed.
    static func parse(_ text: String) -> Date? {
        var rest = text[...]
        guard let year = number(&rest, digits: 4), skip(&rest, "-"), let month = number(&rest, digits: 2),
            skip(&rest, "-"), let day = number(&rest, digits: 2), skip(&rest, "T", "t", " "),
            let hour = number(&rest, digits: 2), skip(&rest, ":"), let minute = number(&rest, digits: 2),
            skip(&rest, ":"), let second = number(&rest, digits: 2), let fraction = fraction(&rest),
            let offset = zone(&rest), rest.isEmpty,
            let time = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        let seconds = time.secondsSince1970 - offset - CivilTime.referenceDate
        return Date(timeIntervalSinceReferenceDate: Double(seconds) + fraction)
    }

    private static func skip(_ rest: inout Substring, _ characters: Character...) -> Bool {
        guard let first = rest.first, characters.contains(first) else { return false }
        rest.removeFirst()
        return true
    }

    private static func number(_ rest: inout Substring, digits: Int) -> Int? {
        let text = rest.prefix(digits)
        guard text.utf8.count == digits, text.utf8.allSatisfy(\.isDigit) else { return nil }
        rest = rest.dropFirst(digits)
        return Int(text)
    }

    private static func fraction(_ rest: inout Substring) -> Double? {
        guard skip(&rest, ".") else { return 0 }
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        rest = rest[digits.endIndex...]
        return digits.isEmpty ? nil : Double("0." + digits)
    }

    /// The offset of the zone in seconds.
    private static func zone(_ rest: inout Substring) -> Int? {
        _ = skip(&rest, " ")
        if skip(&rest, "Z", "z") { return 0 }
        guard let sign = rest.first, skip(&rest, "+", "-"), let hours = number(&rest, digits: 2), hours < 24 else {
            return nil
        }
        _ = skip(&rest, ":")
        guard let minutes = number(&rest, digits: 2), minutes < 60 else { return nil }
        return (sign == "-" ? -1 : 1) * (hours * 60 + minutes) * 60
    }
}
