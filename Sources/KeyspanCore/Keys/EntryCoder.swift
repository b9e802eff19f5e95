/// The way between the values of a key and the one entry of a store that holds them.
///
/// A key asks its coder, not its type, so that a type without a bridge of its own can be stored with one that the key names.
@usableFromInline
protocol EntryCoder<Value>: Sendable {
    associatedtype Value

    /// Whether a decoded value may be handed to all who read the key.
    var sharesDecodedValues: Bool { get }

    /// The stored form of a value; `nil` for a value that is stored as no entry.
    func encode(_ value: Value) throws(ValueEncodingError) -> PropertyListValue?

    /// The value of a stored form.
    func decode(
        _ stored: PropertyListValue,
        in context: inout Defaults.DecodingContext
    ) throws(ValueDecodingError) -> Value
}
