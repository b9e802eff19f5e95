extension Defaults.Serializable {
    /// The value of a stored form; `nil` if it cannot be read whole.
    ///
    /// A key reads the same, but also says what is wrong with a value.
    public static func toValue(_ stored: PropertyListValue) -> Self? {
        toValue(stored, type: Self.self)
    }

    /// The value of another type of a stored form; `nil` if it cannot be read whole.
    public static func toValue<Value: Defaults.Serializable>(
        _ stored: PropertyListValue,
        type: Value.Type
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
    public static func toSerializable(_ value: Self) -> PropertyListValue? {
        do {
            return try encode(value)
        } catch {
            // This form of the question has no place for the reason; a strict write gives it.
            return nil
        }
    }
}
