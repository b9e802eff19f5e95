import KeyspanCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What XML property lists cannot hold so that every reader of XML reads it.
enum XMLRestrictions {
    /// Refuses a value of a key that cannot be written, or that has another name than XML can have.
    static func check(_ value: PropertyListValue, forKey key: String) throws(ValueEncodingError) {
        do throws(ValueEncodingError) {
            try check(key)
            try check(value)
        } catch {
            throw error.nested(under: .name(key))
        }
    }

    /// Refuses a value that cannot be written.
    static func check(_ value: PropertyListValue) throws(ValueEncodingError) {
        switch value {
        case .boolean, .integer, .real, .data: return
        case .string(let text): try check(text)
        case .date(let date): _ = try text(of: date)
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                do throws(ValueEncodingError) {
                    try check(element)
                } catch {
                    throw error.nested(under: .index(index))
                }
            }
        case .dictionary(let entries):
            for (key, entry) in entries { try check(entry, forKey: key) }
        }
    }

    /// The value that is read when this one was written: with dates to the whole second.
    ///
    /// - Returns: `nil` for a value that comes back as it is.
    static func written(_ value: PropertyListValue) -> PropertyListValue? {
        switch value {
        case .boolean, .integer, .real, .data, .string: return nil
        case .date(let date):
            let second = second(of: date)
            return second.sign == date.timeIntervalSinceReferenceDate.sign
                && second == date.timeIntervalSinceReferenceDate
                ? nil : .date(Date(timeIntervalSinceReferenceDate: second))
        case .array(let elements):
            let changed = elements.map(written)
            guard changed.contains(where: { $0 != nil }) else { return nil }
            return .array(zip(elements, changed).map { $1 ?? $0 })
        case .dictionary(let entries):
            let changed = entries.compactMapValues(written)
            return changed.isEmpty ? nil : .dictionary(entries.merging(changed) { $1 })
        }
    }

    /// The text of a date in XML.
    ///
    /// - Throws: `ValueEncodingError` for a date that has none.
    static func text(of date: Date) throws(ValueEncodingError) -> String {
        guard let text = DateText.text(for: second(of: date)) else {
            throw ValueEncodingError(reason: "XML property lists hold dates of the years 0 to 9999 only")
        }
        return text
    }

    /// Whether XML 1.0 has no place for a character, not even as a reference.
    private static func forbids(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\t", "\n", "\r": false
        case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": true
        default: false
        }
    }

    private static func second(of date: Date) -> Double {
        // The sum makes a negative zero a positive one.
        date.timeIntervalSinceReferenceDate.rounded(.down) + 0
    }

    private static func check(_ text: String) throws(ValueEncodingError) {
        var text = text
        let isPlain = text.withUTF8 { bytes in
            var least = UInt8.max
            var most: UInt8 = 0
            for byte in bytes {
                least = min(least, byte)
                most = max(most, byte)
            }
            return least >= ASCII.space && most < 0xEF
        }
        guard !isPlain, let scalar = text.unicodeScalars.first(where: forbids) else { return }
        let code = String(scalar.value, radix: 16, uppercase: true)
        throw ValueEncodingError(reason: "XML has no place for the character U+\(code)")
    }
}
