#if Console
/// HTML in which every text that was interpolated is escaped, by its type: `"<b>\(name)</b>"`.
///
/// A literal is HTML of the library's own. A `String` can only come in by interpolation.
struct HTMLText: Sendable, Hashable, ExpressibleByStringInterpolation {
    /// The HTML.
    private(set) var text: String

    init(stringLiteral text: String) {
        self.text = text
    }

    init(stringInterpolation parts: StringInterpolation) {
        text = parts.text
    }

    /// Collects the parts of a literal.
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        mutating func appendLiteral(_ literal: String) { text += literal }

        mutating func appendInterpolation(_ value: String) { text += HTMLText.escaped(value) }

        mutating func appendInterpolation(_ value: Int) { text += value.description }

        mutating func appendInterpolation(_ html: HTMLText) { text += html.text }

        mutating func appendInterpolation(_ html: [HTMLText]) { for part in html { text += part.text } }

        /// Nothing for `nil`.
        mutating func appendInterpolation(_ html: HTMLText?) { text += html?.text ?? "" }
    }

    static func += (left: inout HTMLText, right: HTMLText) { left.text += right.text }

    /// The text with references in place of the characters that have a meaning in content and in quoted attributes.
    ///
    /// Characters that HTML does not permit, invisible ones, and those that change the direction of the text around them are replaced by
    /// their escapes, as in Swift's literals.
    private static func escaped(_ text: String) -> String {
        guard !text.utf8.allSatisfy(isPlain) else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            // A line feed and a tab are the only control characters that a page shows.
            case "\n", "\t": result.unicodeScalars.append(scalar)
            case _ where scalar.isUnsafeInHTML: result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"), 0x7F: false
        case 0x20...0x7E, 0x0A, 0x09: true
        default: false
        }
    }
}

extension Unicode.Scalar {
    /// Whether it is a control character, is invisible, or changes the direction of the text around it.
    var isUnsafeInHTML: Bool {
        switch value {
        case 0x0A, 0x09: false
        case 0..<0x20, 0x7F..<0xA0, 0x00AD, 0x034F, 0x061C, 0x115F...0x1160, 0x17B4...0x17B5, 0x180E, 0x200B,
            0x200E...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0x3164, 0xFEFF, 0xFFA0, 0xFFF9...0xFFFB,
            0x1D173...0x1D17A, 0xE0000...0xE007F:
            true
        default: (0xFDD0...0xFDEF).contains(value) || value & 0xFFFE == 0xFFFE
        }
    }
}

extension String {
    /// JSON with escapes for the characters that a page cannot have in a control, or a trail in a line.
    var escapedForJSON: String {
        unicodeScalars.reduce(into: "") { result, scalar in
            guard scalar.isUnsafeInHTML else { return result.unicodeScalars.append(scalar) }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
    }
}
#endif
