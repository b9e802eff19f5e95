/// Codes values with a bridge that the key names.
struct BridgeCoder<Bridge: Defaults.Bridge & Sendable>: EntryCoder {
    let bridge: Bridge

    var sharesDecodedValues: Bool { !(Bridge.Value.self is AnyObject.Type) }

    func encode(_ value: Bridge.Value) throws(ValueEncodingError) -> PropertyListValue? {
        try bridge.encode(value)
    }

    func decode(
        _ stored: PropertyListValue,
        in context: inout Defaults.DecodingContext
    ) throws(ValueDecodingError) -> Bridge.Value {
        try bridge.decode(stored, in: &context)
    }
}
