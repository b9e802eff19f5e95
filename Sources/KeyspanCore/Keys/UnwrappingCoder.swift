/// Codes values with the coder of the optional ones: what makes a key with a default of one without.
struct UnwrappingCoder<Value>: EntryCoder {
    let optional: any EntryCoder<Value?>

    var sharesDecodedValues: Bool { optional.sharesDecodedValues }

    func encode(_ value: Value) throws(ValueEncodingError) -> PropertyListValue? {
        try optional.encode(value)
    }

    func decode(
        _ stored: PropertyListValue,
        in context: inout Defaults.DecodingContext
    ) throws(ValueDecodingError) -> Value {
        guard let value = try optional.decode(stored, in: &context) else {
            throw .unreadable(stored, reason: "it makes no value")
        }
        return value
    }
}
