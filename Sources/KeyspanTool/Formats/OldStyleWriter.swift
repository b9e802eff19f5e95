import Keyspan

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes values for people as `defaults read` does: old-style property lists with keys sorted.
///
/// The text forgets kinds, since the format has no numbers, and shortens data of more than 24 bytes. JSON and property
/// lists keep everything.
struct OldStyleWriter {
    /// The colours of keys, and how a string without quotes is shown.
    var style = TerminalStyle.plain

    /// A value by itself: a string without quotes, and a collection on lines of its own.
    func text(of value: PropertyListValue) -> String {
        switch value {
        case .array, .dictionary: block(of: value, level: 0)
        default: style.value(Self.scalarText(of: value))
        }
    }

    /// A value on one line, with quotes where they are needed.
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

    /// The name of a key, in its colour, with quotes where they are needed.
    func keyText(_ key: String) -> String {
        style.key(OldStyleQuotedString.text(of: key))
    }

    /// The text of a value that is no collection, without quotes; empty for a collection.
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
        // The braces of data are no string; all other scalars are.
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

    /// A value from where its line begins; a collection indents its first line once more, as in `defaults`.
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
    /// A string as `defaults read` writes it: without quotes only if it has nothing but ASCII letters and digits.
    ///
    /// What is not ASCII is written as the UTF-16 units of `\Uxxxx`, so the text can be read back exactly.
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
