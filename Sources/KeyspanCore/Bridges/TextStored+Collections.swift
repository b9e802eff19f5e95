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

    static var textSchema: PropertyListDictionary { SchemaType.array(of: Element.textSchema) }
}

extension Dictionary: TextStored where Key == String, Value: TextStored {
    static func encodeText(_ value: Self) throws(ValueEncodingError) -> PropertyListValue {
        try Defaults.DictionaryBridge<Key, Value>.encode(value, elementsAs: Value.encodeText)
    }

    static func decodeText(
        _ stored: PropertyListValue,
        in context: inout Defaults.DecodingContext
    ) throws(ValueDecodingError) -> Self {
        try Defaults.DictionaryBridge<Key, Value>.decode(stored, in: &context, elementsAs: Value.decodeText)
    }

    static var textSchema: PropertyListDictionary { SchemaType.dictionary(of: Value.textSchema) }
}
