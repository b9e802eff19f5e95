#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A value as JSON text, with the forms that `JSONEncoder` has by default and the names ordered by their UTF-8.
///
/// `JSONEncoder` itself writes sets in another order in each process, merges names that are equal to Unicode, follows a value that
/// contains itself to the end of the stack, and ends the program if a type asks for containers that exclude each other.
struct JSONForm: EncodedForm {
    let text: String

    static var formatName: String { "JSON" }

    static var null: JSONForm { JSONForm(text: "null") }

    static func form(of leaf: some StructuredLeaf) throws(ValueEncodingError) -> JSONForm? {
        try leaf.jsonText().map { JSONForm(text: $0) }
    }

    static func array(_ elements: [JSONForm]) -> JSONForm {
        JSONForm(text: "[" + elements.lazy.map(\.text).joined(separator: ",") + "]")
    }

    static func dictionary(_ entries: TextDictionary<JSONForm>) -> JSONForm {
        let members = entries.sortedByName().lazy.map { text(of: $0.key) + ":" + $0.value.text }
        return JSONForm(text: "{" + members.joined(separator: ",") + "}")
    }

    static func isOrderedBefore(_ left: JSONForm, _ right: JSONForm) -> Bool {
        if let left = Double(left.text), let right = Double(right.text), left != right { return left < right }
        return left.text.utf8Precedes(right.text)
    }

    /// The JSON of a text.
    ///
    /// The slash is escaped too, so that the text of `JSONEncoder` and this one are the same.
    static func text(of string: String) -> String {
        let isPlain = string.utf8.allSatisfy { $0 >= 0x20 && !"\"\\/".utf8.contains($0) }
        if isPlain { return "\"" + string + "\"" }
        var json = "\""
        json.reserveCapacity(string.utf8.count + 2)
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"", "\\", "/":
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
        return json + "\""
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
