#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// JSON text with the forms that `JSONEncoder` has by default and the names ordered by their UTF-8.
///
/// `JSONEncoder` itself writes sets in another order in each process, merges names that are equal to Unicode, follows a value that
/// contains itself to the end of the stack, and ends the program if a type asks for containers that exclude each other.
enum JSONForm {
    /// The text of a part that an encoder has made.
    static func text(_ part: PropertyListValue) -> String {
        if case .string(let text) = part { text } else { "" }
    }

    /// The JSON of a text; see ``append(_:to:escapingSlashes:)``.
    static func text(of string: String, escapingSlashes escapesSlashes: Bool = true) -> String {
        var json = ""
        append(string, to: &json, escapingSlashes: escapesSlashes)
        return json
    }

    /// Appends the JSON of a text.
    ///
    /// - Parameters:
    ///   - string: The text.
    ///   - json: The JSON.
    ///   - escapesSlashes: Whether slashes are escaped too, as `JSONEncoder` does.
    static func append(_ string: String, to json: inout String, escapingSlashes escapesSlashes: Bool = true) {
        json += "\""
        if string.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C && ($0 != 0x2F || !escapesSlashes) }) {
            json += string
        } else {
            for scalar in string.unicodeScalars {
                if scalar == "/", escapesSlashes { json += "\\" }
                append(scalar, to: &json)
            }
        }
        json += "\""
    }

    private static func append(_ scalar: Unicode.Scalar, to json: inout String) {
        switch scalar {
        case "\"", "\\":
            json += "\\"
            json.unicodeScalars.append(scalar)
        case "\u{8}": json += "\\b"
        case "\t": json += "\\t"
        case "\n": json += "\\n"
        case "\u{C}": json += "\\f"
        case "\r": json += "\\r"
        case "\0"..<" ":
            json += scalar.value < 16 ? "\\u000" : "\\u00"
            json += String(scalar.value, radix: 16)
        default: json.unicodeScalars.append(scalar)
        }
    }
}

extension StructuredLeaf where Self: FixedWidthInteger {
    func jsonText() -> String? { description }
}

extension StructuredLeaf where Self: BinaryFloatingPoint & LosslessStringConvertible {
    func jsonText() throws(ValueEncodingError) -> String? {
        guard isFinite else { throw .noPlaceInJSON }
        return description.hasSuffix(".0") ? String(description.dropLast(2)) : description
    }
}

extension Bool {
    func jsonText() -> String? { description }
}

extension String {
    func jsonText() -> String? { JSONForm.text(of: self) }
}

/// The seconds since the reference date.
extension Date {
    func jsonText() throws(ValueEncodingError) -> String? { try timeIntervalSinceReferenceDate.jsonText() }
}

extension Data {
    func jsonText() -> String? { JSONForm.text(of: base64EncodedString()) }
}

extension URL {
    func jsonText() -> String? { JSONForm.text(of: absoluteString) }
}

extension Decimal {
    func jsonText() throws(ValueEncodingError) -> String? {
        guard !isNaN else { throw .noPlaceInJSON }
        return description
    }
}

extension ValueEncodingError {
    fileprivate static let noPlaceInJSON = Self(reason: "JSON has no place for it")
}
