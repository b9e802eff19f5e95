/// Codes raw-representable values with the coder of their raw values.
struct RawValueCoder<Value: RawRepresentable>: EntryCoder {
    let rawValue: any EntryCoder<Value.RawValue?>

    var sharesDecodedValues: Bool { rawValue.sharesDecodedValues && !(Value.self is AnyObject.Type) }

    func encode(_ value: Value?) throws(ValueEncodingError) -> PropertyListValue? {
        try rawValue.encode(value?.rawValue)
    }

    func decode(
        _ stored: PropertyListValue,
        in context: inout Defaults.DecodingContext
    ) throws(ValueDecodingError) -> Value? {
        guard let value = try rawValue.decode(stored, in: &context).flatMap(Value.init(rawValue:)) else {
            throw .unreadable(stored, reason: "it is no raw value of \(Value.self)")
        }
        return value
    }
}
