/// The structured form of `nil` where it occupies a place, because property lists have no null.
///
/// It is the string `"$null"`, as in Foundation's `PropertyListEncoder`. A string of that spelling, with any number of dollar
/// signs, is stored with an additional one.
enum StructuredNull {
    static let form = PropertyListValue.string("$null")

    /// The form of a value that cannot be mistaken for `nil`.
    static func escape(_ value: PropertyListValue) -> PropertyListValue {
        guard case .string(let text) = value, isNullLike(text) else { return value }
        return .string("$" + text)
    }

    /// The value for a form that ``escape(_:)`` made.
    static func unescape(_ form: PropertyListValue) -> PropertyListValue {
        guard case .string(let text) = form, isNullLike(text) else { return form }
        return .string(String(text.dropFirst()))
    }

    private static func isNullLike(_ text: String) -> Bool {
        text.hasUTF8Prefix("$") && text.unicodeScalars.drop { $0 == "$" }.elementsEqual("null".unicodeScalars)
    }
}

/// Coding keys that types do not declare: the index of an element, and the place of a superclass.
enum StructuredKey: CodingKey {
    case index(Int)
    case `super`

    init(intValue: Int) { self = .index(intValue) }

    init?(stringValue: String) { nil }

    var intValue: Int? {
        if case .index(let index) = self { index } else { nil }
    }

    var stringValue: String {
        switch self {
        case .index(let index): String(index)
        case .super: "super"
        }
    }
}

/// A type whose structured form is one value without containers, whatever its own `encode(to:)` does.
protocol StructuredLeaf: Codable {
    /// The form of the value.
    func structuredForm() throws(ValueEncodingError) -> PropertyListValue

    /// The value as JSON text; `nil` if JSON has the form of its `encode(to:)`.
    func jsonText() throws(ValueEncodingError) -> String?

    /// Makes a value from its form.
    init(structuredForm stored: PropertyListValue) throws(ValueDecodingError)
}

extension StructuredLeaf {
    func jsonText() -> String? { nil }
}

/// An integer of which a property list holds a part of the range, and the digits of the others.
protocol WideIntegerLeaf: StructuredLeaf, FixedWidthInteger {}

extension Int128: WideIntegerLeaf {}

extension UInt128: WideIntegerLeaf {}

extension WideIntegerLeaf {
    func structuredForm() -> PropertyListValue {
        if let integer = Int64(exactly: self) { return .integer(PropertyListInteger(integer)) }
        return UInt64(exactly: self).map { .integer(PropertyListInteger($0)) } ?? .string(description)
    }

    init(structuredForm stored: PropertyListValue) throws(ValueDecodingError) {
        let value: Self? =
            switch stored {
            case .integer(let integer): integer.converted(to: Self.self)
            case .string(let digits): Self(digits)
            default: throw .typeMismatch(expected: .integer, found: stored)
            }
        guard let value else { throw .unreadable(stored, reason: "it is not between \(Self.min) and \(Self.max)") }
        self = value
    }
}

extension StructuredLeaf where Self: PropertyListConvertible {
    func structuredForm() -> PropertyListValue { propertyListValue }

    init(structuredForm stored: PropertyListValue) throws(ValueDecodingError) {
        try self.init(propertyListValue: stored)
    }
}
