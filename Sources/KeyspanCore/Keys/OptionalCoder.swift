/// Codes optional values with the coder of what they wrap; no value is no entry.
struct OptionalCoder<Wrapped>: EntryCoder {
    let wrapped: any EntryCoder<Wrapped>

    var sharesDecodedValues: Bool { wrapped.sharesDecodedValues }

    func encode(_ value: Wrapped?) throws(ValueEncodingError) -> PropertyListValue? {
        guard let value else { return nil }
        return try wrapped.encode(value)
    }

    func decode(
        _ stored: PropertyListValue,
        in context: inout Defaults.DecodingContext
    ) throws(ValueDecodingError) -> Wrapped? {
        try wrapped.decode(stored, in: &context)
    }
}
