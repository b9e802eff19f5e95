/// Decodes `Codable` values from the property lists that ``PropertyListValueEncoder`` makes, or that a person wrote.
///
/// ```swift
/// struct Window: Codable {
///     var title: String
///     var scale: Double
/// }
///
/// let window = try PropertyListValueDecoder().decode(Window.self, from: ["title": "Main", "scale": 2])
/// ```
///
/// Nothing is coerced: a truth value is no number, and a real is no integer. An integer is read where a real is asked for, if
/// the type holds it exactly, because people write `3` for `3.0`. An optional is `nil` if it has no entry or is `"$null"`.
public struct PropertyListValueDecoder: Sendable {
    /// What the `init(from:)` of the value and of its parts find in their decoder.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// Makes a decoder.
    public init() {}

    /// Decodes a value.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - stored: Its structured form.
    /// - Returns: The value.
    /// - Throws: ``ValueDecodingError`` with the place of the part that cannot be read.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self,
        from stored: PropertyListValue
    ) throws(ValueDecodingError) -> Value {
        do {
            return try StructuredDecoder(stored: stored, userInfo: userInfo).decode(type)
        } catch {
            throw ValueDecodingError(error, decoding: stored)
        }
    }
}
