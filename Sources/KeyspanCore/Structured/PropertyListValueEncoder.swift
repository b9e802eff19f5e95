/// Encodes `Codable` values as property lists that a person can read and edit.
///
/// ```swift
/// struct Server: Codable {
///     var host: String
///     var port: Int?
/// }
///
/// let stored = try PropertyListValueEncoder().encode(Server(host: "localhost", port: nil))
/// // ["host": "localhost"]
/// ```
///
/// - Numbers, truth values, text, dates and data are stored as themselves: an integer never becomes a real, nor the
///   reverse. A URL is stored as its text, one with a base as a dictionary of `base` and `relative`, and a `Decimal` as its
///   digits.
/// - A keyed container is a dictionary, an unkeyed one an array. A value that asks for no container is an empty dictionary.
/// - An optional property without a value has no entry. Where `nil` has a place of its own, in an array or as a value in a
///   dictionary, it is the string `"$null"`, as Foundation's `PropertyListEncoder` writes it. A string that looks
///   so gets one more dollar sign in front, so it stays a string.
public struct PropertyListValueEncoder: Sendable {
    /// How many `encode(to:)` may be at work inside one another: 256.
    ///
    /// A level of nesting takes one or two of them. A value that refers to itself fails here instead of overflowing the stack.
    static let maximumDepth = 2 * PropertyListValue.maximumNesting

    /// What the `encode(to:)` of the value and of its parts find in their encoder.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// Makes an encoder.
    public init() {}

    /// Encodes a value.
    ///
    /// - Parameter value: The value.
    /// - Returns: Its structured form, nested to ``PropertyListValue/maximumNesting`` levels at most.
    /// - Throws: ``ValueEncodingError`` with the place of the part that has no stored form.
    public func encode(_ value: some Encodable) throws(ValueEncodingError) -> PropertyListValue {
        let node = EncodedNode()
        do {
            try StructuredEncoder(node: node, userInfo: userInfo).encode(value)
            let encoded = try node.value
            guard !encoded.isNestedDeeper() else { throw ValueEncodingError.nestedTooDeep }
            return encoded
        } catch {
            throw ValueEncodingError(error)
        }
    }
}
