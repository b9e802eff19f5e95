/// Codes the values of a type with the bridge that the type names.
struct SerializableCoder<Value: Defaults.Serializable>: EntryCoder {
    var sharesDecodedValues: Bool { Value.sharesDecodedValues }

    func encode(_ value: Value) throws(ValueEncodingError) -> PropertyListValue? {
        try Value.encode(value)
    }

    func decode(
        _ stored: PropertyListValue,
        in context: inout Defaults.DecodingContext
    ) throws(ValueDecodingError) -> Value {
        try Value.decode(stored, in: &context)
    }
}
