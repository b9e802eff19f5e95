/// A type that is stored without conversion, except as JSON text inside a dictionary whose keys are not strings.
///
/// The Defaults library writes and reads this form: `[7: 1.5]` is stored as `["7": "1.5"]`, `[7: ["a"]]` as
/// `["7": ["\"a\""]]`. Values without conversion are read there too, and written where JSON has no place for a value, such as
/// infinity. Text that someone typed is converted as in any other dictionary, except for a string in quotation marks, which is JSON text.
protocol TextStored: Defaults.Serializable {
    /// Makes the form inside such a dictionary.
    static func encodeText(_ value: Self) throws(ValueEncodingError) -> PropertyListValue

    /// Reads either form.
    static func decodeText(
        _ stored: PropertyListValue,
        in context: inout Defaults.DecodingContext
    ) throws(ValueDecodingError) -> Self

    /// Whether readers take a value, or a part of it, for JSON text.
    static func isJSONText(_ stored: PropertyListValue) -> Bool

    /// The JSON Schema of both forms.
    static var textSchema: PropertyListDictionary { get }
}

extension TextStored where Self: Codable & PropertyListConvertible {
    static func encodeText(_ value: Self) -> PropertyListValue {
        do {
            return .string(try JSONCoding.encode(value))
        } catch {
            // JSON has no number that is not finite.
            return value.propertyListValue
        }
    }

    static func decodeText(
        _ stored: PropertyListValue,
        in context: inout Defaults.DecodingContext
    ) throws(ValueDecodingError) -> Self {
        guard case .string(let text) = stored else { return try Self(propertyListValue: stored) }
        let isString = Self.self == String.self
        // A string that a person wrote: JSON text would have quotation marks.
        if isString, !text.hasUTF8Prefix("\"") { return try Self(propertyListValue: stored) }
        let value = context.readsText && !isString ? nil : try? JSONCoding.decode(Self.self, from: stored)
        if let value, isString || !(Self.self is any Defaults.Coercible.Type) { return value }
        // JSON does not distinguish `1` from `1.0`; 1e-400 is no 0.
        if let value, let integer = value as? any FixedWidthInteger,
            integer.description != "0" || DecimalNumeral(text, allowsSpace: true)?.digits.isEmpty == true
        {
            return value
        }
        // Other numbers and truth values in JSON text also obey the table of conversions, because `JSONDecoder` takes 16777217
        // for another `Float`. Any other text is read or refused as in all dictionaries.
        var context = Defaults.DecodingContext(isStrict: true, extent: value == nil ? context.extent : .whole)
        return try decode(stored, in: &context)
    }

    static func isJSONText(_ stored: PropertyListValue) -> Bool {
        guard case .string(let text) = stored else { return false }
        if Self.self == String.self, !text.hasUTF8Prefix("\"") { return false }
        return (try? JSONCoding.decode(Self.self, from: stored)) != nil
    }

    static var textSchema: PropertyListDictionary { StoredSchema.text(or: StoredSchema.schema(of: Self.self)) }
}

extension Optional: TextStored where Wrapped: TextStored {
    static func encodeText(_ value: Self) throws(ValueEncodingError) -> PropertyListValue {
        guard let value else { throw ValueEncodingError(reason: "nil has no stored form inside a collection") }
        return try Wrapped.encodeText(value)
    }

    static func decodeText(
        _ stored: PropertyListValue,
        in context: inout Defaults.DecodingContext
    ) throws(ValueDecodingError) -> Self {
        try Wrapped.decodeText(stored, in: &context)
    }

    static func isJSONText(_ stored: PropertyListValue) -> Bool { Wrapped.isJSONText(stored) }

    static var textSchema: PropertyListDictionary { Wrapped.textSchema }
}

extension Array: TextStored where Element: TextStored {
    static func encodeText(_ value: Self) throws(ValueEncodingError) -> PropertyListValue {
        .array(try Element.encodeElements(value, as: Element.encodeText))
    }

    static func decodeText(
        _ stored: PropertyListValue,
        in context: inout Defaults.DecodingContext
    ) throws(ValueDecodingError) -> Self {
        try Element.decodeElements(of: stored, in: &context, as: Element.decodeText)
    }

    static func isJSONText(_ stored: PropertyListValue) -> Bool {
        if case .array(let parts) = stored { parts.contains(where: Element.isJSONText) } else { false }
    }

    static var textSchema: PropertyListDictionary { StoredSchema.array(of: Element.textSchema) }
}

extension Dictionary: TextStored where Key == String, Value: TextStored {
    static func encodeText(_ value: Self) throws(ValueEncodingError) -> PropertyListValue {
        try Defaults.DictionaryBridge<Key, Value>().encode(value, elementsAs: Value.encodeText)
    }

    static func decodeText(
        _ stored: PropertyListValue,
        in context: inout Defaults.DecodingContext
    ) throws(ValueDecodingError) -> Self {
        try Defaults.DictionaryBridge<Key, Value>.decode(stored, in: &context, elementsAs: Value.decodeText)
    }

    static func isJSONText(_ stored: PropertyListValue) -> Bool {
        guard case .dictionary(let entries) = stored else { return false }
        return entries.entries.values.contains(where: Value.isJSONText)
    }

    static var textSchema: PropertyListDictionary { StoredSchema.dictionary(of: Value.textSchema) }
}
