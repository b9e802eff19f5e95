/// The forms in which bridges store a `Codable` value.
///
/// Each bridge writes one of them and reads both. Equal values have equal forms, in each process and on each device.
enum CodableForm {
    /// JSON text, in a string or in data.
    case json
    /// The form that ``PropertyListValueEncoder`` makes.
    case structured

    /// Decodes a value from either form.
    ///
    /// Only a string and data can be in both forms. For these, the preferred form is tried first.
    ///
    /// - Throws: The error of the more likely form if both fail.
    static func decode<Value: Decodable>(
        _ type: Value.Type,
        from stored: PropertyListValue,
        preferring form: CodableForm
    ) throws(ValueDecodingError) -> Value {
        do throws(ValueDecodingError) {
            return try decodeForm(type, from: stored, preferring: form)
        } catch {
            guard case .string(let name) = stored else { throw error }
            if let value = CaseNames.value(of: name, as: type) { return value }
            guard let names = CaseNames.clause(of: type) else { throw error }
            throw .noCase(stored, names)
        }
    }

    private static func decodeForm<Value: Decodable>(
        _ type: Value.Type,
        from stored: PropertyListValue,
        preferring form: CodableForm
    ) throws(ValueDecodingError) -> Value {
        switch (stored, form) {
        case (.string, .json), (.data, .json):
            do throws(ValueDecodingError) {
                return try JSONCoding.decode(type, from: stored)
            } catch {
                // If both forms fail, the error about the preferred one is thrown.
                guard let value = try? PropertyListValueDecoder().decode(type, from: stored) else { throw error }
                return value
            }
        case (.string, .structured), (.data, .structured):
            do throws(ValueDecodingError) {
                return try PropertyListValueDecoder().decode(type, from: stored)
            } catch {
                // The type is stored as a collection, so a string or data was meant to be JSON text.
                if error.isOfOtherKind { return try JSONCoding.decode(type, from: stored) }
                // If both forms fail, the error about the preferred one is thrown.
                guard let value = try? JSONCoding.decode(type, from: stored) else { throw error }
                return value
            }
        default:
            return try PropertyListValueDecoder().decode(type, from: stored)
        }
    }
}

extension ValueDecodingError {
    /// Whether the outermost value was of another kind than the stored form of its type.
    fileprivate var isOfOtherKind: Bool {
        if case .typeMismatch = cause { path.steps.isEmpty } else { false }
    }
}

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
