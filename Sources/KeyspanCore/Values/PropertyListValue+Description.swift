#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The kind of a ``PropertyListValue`` without its content, for errors and type listings.
public enum PropertyListKind: String, Sendable, Hashable, CaseIterable {
    /// A truth value.
    case boolean
    /// A whole number.
    case integer
    /// A floating-point number.
    case real
    /// Unicode text.
    case string
    /// A point in time.
    case date
    /// A sequence of bytes.
    case data
    /// An ordered list of values.
    case array
    /// Values by name.
    case dictionary
}

extension PropertyListValue {
    /// The kind of this value.
    public var kind: PropertyListKind {
        switch self {
        case .boolean: .boolean
        case .integer: .integer
        case .real: .real
        case .string: .string
        case .date: .date
        case .data: .data
        case .array: .array
        case .dictionary: .dictionary
        }
    }
}

extension PropertyListKind {
    /// The kind's name with its article.
    var article: String {
        switch self {
        case .integer, .array: "an \(rawValue)"
        case .data: rawValue
        default: "a \(rawValue)"
        }
    }
}

extension PropertyListKind {
    /// The values of the kind, as the expectation of an error.
    var expectation: String {
        switch self {
        case .boolean: "true or false"
        case .real: "a number"
        default: article
        }
    }
}

extension PropertyListValue: CustomStringConvertible {
    /// The value on one line, for people: strings quoted, dictionaries sorted by name, data as its size and first bytes.
    ///
    /// The text cannot be read back: it shortens data and stops at ``maximumNesting``.
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
        case .string(let value): text += value.quoted
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
                text += name.quoted + ": "
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
