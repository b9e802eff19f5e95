import Keyspan

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes XML property lists, keys sorted, as Apple's tools lay them out.
///
/// Two things have no place in the format: control characters in strings, and fractions of a second in dates. The first
/// are refused. The second are left out, as every writer of the format does, and ``droppedFractions`` says where.
struct XMLPropertyListWriter {
    /// Where dates lost their fraction of a second.
    private(set) var droppedFractions: [ValuePath] = []
    private(set) var text = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">

        """

    /// Writes a document of one value.
    ///
    /// - Throws: ``UnwritableValueError`` for a string or date that the format cannot hold.
    init(_ value: PropertyListValue) throws(UnwritableValueError) {
        try append(value, path: [], level: 0)
        text += "</plist>\n"
    }

    private mutating func append(
        _ value: PropertyListValue,
        path: [ValuePath.Step],
        level: Int
    ) throws(UnwritableValueError) {
        let indent = String(repeating: "\t", count: level)
        switch value {
        case .boolean(let value): text += "\(indent)<\(value)/>\n"
        case .integer(let value): text += "\(indent)<integer>\(value)</integer>\n"
        case .real(let value): text += "\(indent)<real>\(Self.text(of: value))</real>\n"
        case .string(let value): text += "\(indent)<string>\(try escaped(value, path: path))</string>\n"
        case .date(let value): text += "\(indent)<date>\(try dateText(of: value, path: path))</date>\n"
        case .data(let value): text += "\(indent)<data>\(value.base64EncodedString())</data>\n"
        case .array(let elements) where elements.isEmpty: text += "\(indent)<array/>\n"
        case .array(let elements):
            text += "\(indent)<array>\n"
            for (index, element) in elements.enumerated() {
                try append(element, path: path + [.index(index)], level: level + 1)
            }
            text += "\(indent)</array>\n"
        case .dictionary(let entries) where entries.isEmpty: text += "\(indent)<dict/>\n"
        case .dictionary(let entries):
            text += "\(indent)<dict>\n"
            for (name, entry) in entries.sorted(by: { $0.key < $1.key }) {
                let path = path + [.name(name)]
                text += "\(indent)\t<key>\(try escaped(name, path: path))</key>\n"
                try append(entry, path: path, level: level + 1)
            }
            text += "\(indent)</dict>\n"
        }
    }

    private static func text(of real: Double) -> String {
        // The spellings that Apple's parser reads.
        if real.isNaN { return "nan" }
        if real.isInfinite { return real < 0 ? "-infinity" : "+infinity" }
        return real.description
    }

    private mutating func dateText(of date: Date, path: [ValuePath.Step]) throws(UnwritableValueError) -> String {
        guard let time = CivilTime(containing: date) else {
            throw UnwritableValueError(
                path: ValuePath(path),
                reason: "XML property lists hold dates of the years 0 to 9999 only"
            )
        }
        if time.date != date { droppedFractions.append(ValuePath(path)) }
        return "\(time.dayText)T\(time.clockText)Z"
    }

    private func escaped(_ string: String, path: [ValuePath.Step]) throws(UnwritableValueError) -> String {
        var escaped = ""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\r": escaped += "&#13;"
            case "\t", "\n": escaped.unicodeScalars.append(scalar)
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}":
                throw UnwritableValueError(
                    path: ValuePath(path),
                    reason: "XML has no place for the character U+\(String(scalar.value, radix: 16, uppercase: true))"
                )
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
