#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

// The parts from which an encoder makes a form. In JSON, each part is its text in a string.
extension CodableForm {
    /// The name of the form in errors.
    var name: String {
        switch self {
        case .json: "JSON"
        case .structured: "the structured form"
        }
    }

    /// The form of `nil` where it occupies a place.
    var null: PropertyListValue {
        switch self {
        case .json: "null"
        case .structured: StructuredNull.form
        }
    }

    /// The form of a value without containers; `nil` if its type encodes itself in this form.
    func form(of leaf: any StructuredLeaf) throws(ValueEncodingError) -> PropertyListValue? {
        switch self {
        case .json: try leaf.jsonText().map { .string($0) }
        case .structured: StructuredNull.escape(try leaf.structuredForm())
        }
    }

    /// The form of an array.
    func array(_ elements: [PropertyListValue]) -> PropertyListValue {
        guard self == .json else { return .array(elements) }
        var json = "["
        for (index, element) in elements.enumerated() {
            if index > 0 { json += "," }
            json += JSONForm.text(element)
        }
        return .string(json + "]")
    }

    /// The form of a dictionary.
    func dictionary(_ entries: PropertyListDictionary) -> PropertyListValue {
        guard self == .json else { return .dictionary(entries) }
        var json = "{"
        for (index, (name, value)) in entries.sortedByName().enumerated() {
            if index > 0 { json += "," }
            JSONForm.append(name, to: &json)
            json += ":"
            json += JSONForm.text(value)
        }
        return .string(json + "}")
    }

    /// Whether one form comes before another where the order has no meaning, as in a set.
    func isOrderedBefore(_ left: PropertyListValue, _ right: PropertyListValue) -> Bool {
        guard self == .json else { return PropertyListValue.isOrderedBefore(left, right) }
        let (left, right) = (JSONForm.text(left), JSONForm.text(right))
        if let left = Double(left), let right = Double(right), left != right { return left < right }
        return left.utf8Precedes(right)
    }
}

/// JSON text with the forms that `JSONEncoder` has by default and the names ordered by their UTF-8.
///
/// `JSONEncoder` itself writes sets in another order in each process, merges names that are equal to Unicode, follows a value that
/// contains itself to the end of the stack, and ends the program if a type asks for containers that exclude each other.
enum JSONForm {
    /// The text of a part that an encoder has made.
    static func text(_ part: PropertyListValue) -> String {
        if case .string(let text) = part { text } else { "" }
    }

    /// The JSON of a text.
    static func text(of string: String) -> String {
        var json = ""
        append(string, to: &json)
        return json
    }

    /// Appends the JSON of a text.
    ///
    /// The slash is escaped too, so that the text of `JSONEncoder` and this one are the same.
    static func append(_ string: String, to json: inout String) {
        json += "\""
        if string.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C && $0 != 0x2F }) {
            json += string
        } else {
            for scalar in string.unicodeScalars { append(scalar, to: &json) }
        }
        json += "\""
    }

    private static func append(_ scalar: Unicode.Scalar, to json: inout String) {
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
