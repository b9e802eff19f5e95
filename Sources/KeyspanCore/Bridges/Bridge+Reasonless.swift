/// The answers of a bridge whose work is in `encode(_:)` and `decode(_:in:)`, where there is no place for the reason.
extension Defaults.Bridge where Serializable == PropertyListValue {
    /// The stored form of a value, or `nil` if `encode(_:)` says why it has none.
    package func serializeByEncoding(_ value: Value?) -> PropertyListValue? {
        guard let value else { return nil }
        do {
            return try encode(value)
        } catch {
            return nil
        }
    }

    /// The value of a stored form, or `nil` if `decode(_:in:)` says why it makes none.
    package func deserializeByDecoding(_ object: PropertyListValue?) -> Value? {
        guard let object else { return nil }
        var context = Defaults.DecodingContext(isStrict: false)
        do {
            return try decode(object, in: &context)
        } catch {
            return nil
        }
    }
}
