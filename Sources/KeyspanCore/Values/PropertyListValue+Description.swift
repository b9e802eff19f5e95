#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PropertyListValue: CustomStringConvertible {
    /// The value on one line, for people: strings quoted, dictionaries sorted by name, data as its size and first bytes.
    ///
    /// The text is no storage format: it shortens data and stops at ``maximumNesting``.
    public var description: String {
        var text = ""
        describe(into: &text, levels: Self.maximumNesting)
        return text
    }

    private func describe(into text: inout String, levels: Int) {
        switch self {
        case .boolean(let value): text += value ? "true" : "false"
        case .integer(let value): text += value.description
        case .real(let value): text += value.description
        case .string(let value): text += value.debugDescription
        case .date(let value): text += Self.summary(of: value)
        case .data(let value): text += Self.summary(of: value)
        case .array(let elements):
            guard levels > 0 else { return text += "[…]" }
            text += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { text += ", " }
                element.describe(into: &text, levels: levels - 1)
            }
            text += "]"
        case .dictionary(let entries):
            guard levels > 0 else { return text += "[…]" }
            guard !entries.isEmpty else { return text += "[:]" }
            text += "["
            for (index, (name, value)) in entries.sortedByName().enumerated() {
                if index > 0 { text += ", " }
                text += name.debugDescription + ": "
                value.describe(into: &text, levels: levels - 1)
            }
            text += "]"
        }
    }

    private static func summary(of date: Date) -> String {
        let interval = date.timeIntervalSinceReferenceDate
        return DateText.text(for: interval) ?? "\(interval) s from 2001-01-01T00:00:00Z"
    }

    private static func summary(of data: Data) -> String {
        let shown = data.prefix(16).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        return "<\(data.count) bytes\(shown.isEmpty ? "" : ": " + shown)\(data.count > 16 ? "…" : "")>"
    }
}
