import Keyspan

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Dates in the form in which `defaults` writes them, such as `2026-11-21 10:50:00 +0000`.
enum OldStyleDate {
    /// The text of a date in UTC, without its fraction of a second.
    static func text(of date: Date) -> String {
        let second = date.timeIntervalSinceReferenceDate.rounded(.down)
        guard let text = DateText.text(for: second) else { return "\(second) s from 2001" }
        return text.replacing("T", with: " ").replacing("Z", with: " +0000")
    }

    /// Reads this form, in any time zone, and that of RFC 3339.
    ///
    /// - Returns: `nil` for any other text, and for days and times that do not exist. A zone is never assumed.
    static func parse(_ text: String) -> Date? {
        let interval = DateText.interval(from: text) ?? DateText.interval(from: standardForm(of: text))
        return interval.map(Date.init(timeIntervalSinceReferenceDate:))
    }

    /// The text with the letters and the colon that RFC 3339 has and this form has not.
    private static func standardForm(of text: String) -> String {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].utf8.count == 5 else { return "" }
        return "\(parts[0])T\(parts[1])\(parts[2].prefix(3)):\(parts[2].suffix(2))"
    }
}
