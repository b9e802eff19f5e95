extension Defaults.Serializable {
    /// The value of a stored form; `nil` if it cannot be read whole.
    ///
    /// `Int.toValue(stored)` reads it as an `Int`. A key reads the same, but also says what is wrong with a value.
    ///
    /// - Parameters:
    ///   - stored: The stored form, as a store holds it.
    ///   - type: The type to read it as.
    public static func toValue<Value: Defaults.Serializable>(
        _ stored: PropertyListValue,
        type: Value.Type = Self.self
    ) -> Value? {
        var context = Defaults.DecodingContext(isStrict: true)
        do {
            return try Value.decode(stored, in: &context)
        } catch {
            // This form of the question has no place for the reason; a strict read of a key gives it.
            return nil
        }
    }

    /// The stored form of a value; `nil` for an optional without a value, and for a value that has none.
    ///
    /// A strict write with a key says why a value has none.
    public static func toSerializable<Value: Defaults.Serializable>(_ value: Value) -> PropertyListValue? {
        do {
            return try Value.encode(value)
        } catch {
            // This form of the question has no place for the reason; a strict write gives it.
            return nil
        }
    }
}
