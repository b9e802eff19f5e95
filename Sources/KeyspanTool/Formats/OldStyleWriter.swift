import Keyspan

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes values for people like `defaults read`: old-style property lists with sorted keys.
///
/// The text loses the kinds of values, because the format has no numbers, and shortens data of more than 24 bytes. JSON and
/// property lists keep everything.
struct OldStyleWriter {
    /// The color of keys and the display of strings without quotes.
    var style = TerminalStyle.plain

    /// A single value: a string without quotes, and a collection on several lines.
    func text(of value: PropertyListValue) -> String {
        switch value {
        case .array, .dictionary: block(of: value, level: 0)
        default: style.value(Self.scalarText(of: value))
        }
    }

    /// A value on one line, with quotes where necessary.
    func line(of value: PropertyListValue) -> String {
        switch value {
        case .array(let elements):
            "(" + elements.map(line).joined(separator: ", ") + ")"
        case .dictionary(let entries):
            "{" + Self.sorted(entries).map { "\(keyText($0)) = \(line(of: $1));" }.joined(separator: " ") + "}"
        default:
            Self.quotedText(of: value)
        }
    }

    /// The name of a key, in color, with quotes where necessary.
    func keyText(_ key: String) -> String {
        style.key(OldStyleQuotedString.text(of: key))
    }

    /// The text of a scalar, without quotes; empty for a collection.
    static func scalarText(of value: PropertyListValue) -> String {
        switch value {
        case .boolean(let value): value ? "1" : "0"
        case .integer(let value): value.description
        case .real(let value): text(of: value)
        case .string(let value): value
        case .date(let value): OldStyleDate.text(of: value)
        case .data(let value): text(of: value)
        case .array, .dictionary: ""
        }
    }

    private static func quotedText(of value: PropertyListValue) -> String {
        // Data is written in braces; all other scalars are strings.
        if case .data(let data) = value { return text(of: data) }
        return OldStyleQuotedString.text(of: scalarText(of: value))
    }

    private static func text(of real: Double) -> String {
        let text = real.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func text(of data: Data) -> String {
        func hex(_ bytes: some Sequence<UInt8>) -> String {
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        func groups(_ part: Data) -> String {
            let bytes = Array(part)
            return stride(from: 0, to: bytes.count, by: 4).map { hex(bytes[$0..<($0 + 4)]) }.joined(separator: " ")
        }
        guard data.count > 24 else { return "{length = \(data.count), bytes = 0x\(hex(data))}" }
        return
            "{length = \(data.count), bytes = 0x\(groups(data.prefix(16))) ... \(groups(data.suffix(8))) }"
    }

    /// A value after the start of its line; a collection indents its first line again, as in `defaults`.
    private func block(of value: PropertyListValue, level: Int) -> String {
        let indent = String(repeating: " ", count: 4 * level)
        let inner = indent + "    "
        switch value {
        case .array(let elements):
            let lines = elements.map { "\(inner)\(block(of: $0, level: level + 1))" }
            return "\(indent)(\n\(lines.joined(separator: ",\n"))\(lines.isEmpty ? "" : "\n")\(indent))"
        case .dictionary(let entries):
            let lines = Self.sorted(entries).map { key, value in
                "\(inner)\(keyText(key)) = \(block(of: value, level: level + 1));\n"
            }
            return "\(indent){\n" + lines.joined() + "\(indent)}"
        default:
            return Self.quotedText(of: value)
        }
    }

    private static func sorted(_ entries: PropertyListDictionary) -> [(key: String, value: PropertyListValue)] {
        entries.sortedByName()
    }
}

extension OldStyleQuotedString {
    /// A string in the form of `defaults read`: without quotes only if it consists of ASCII letters and digits.
    ///
    /// Characters beyond ASCII become UTF-16 units as `\Uxxxx`, so that the text can be read back exactly.
    static func text(of string: String) -> String {
        if !string.isEmpty, string.utf8.allSatisfy(\.isAlphanumeric) { return string }
        var text = "\""
        for unit in string.utf16 {
            switch unit {
            case 0x22: text += "\\\""
            case 0x5C: text += "\\\\"
            case 0x0A: text += "\\n"
            case 0x09: text += "\\t"
            case 0x0D: text += "\\r"
            case 0x20...0x7E: text.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            default:
                let digits = String(unit, radix: 16)
                text += "\\U" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return text + "\""
    }
}

/// Dates in the form of `defaults`, such as `2026-11-21 10:50:00 +0000`.
enum OldStyleDate {
    /// The text of a date in UTC, without the fraction of a second.
    static func text(of date: Date) -> String {
        let second = date.timeIntervalSinceReferenceDate.rounded(.down)
        guard let text = DateText.text(for: second) else { return "\(second) s from 2001" }
        return text.replacing("T", with: " ").replacing("Z", with: " +0000")
    }

    /// Reads this form, in any time zone, or that of RFC 3339.
    ///
    /// - Returns: `nil` for any other text, for one without a time zone, and for days and times that do not exist.
    static func parse(_ text: String) -> Date? {
        let interval = DateText.interval(from: text) ?? DateText.interval(from: standardForm(of: text))
        return interval.map(Date.init(timeIntervalSinceReferenceDate:))
    }

    /// The text with the letters and the colon of RFC 3339, which this form lacks.
    private static func standardForm(of text: String) -> String {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].utf8.count == 5 else { return "" }
        return "\(parts[0])T\(parts[1])\(parts[2].prefix(3)):\(parts[2].suffix(2))"
    }
}
