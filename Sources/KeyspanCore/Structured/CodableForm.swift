/// The forms in which the bridges store a `Codable` value; each bridge writes one and reads both.
enum CodableForm {
    /// JSON text, in a string or in data.
    case json
    /// What ``PropertyListValueEncoder`` makes.
    case structured

    /// Decodes a value from the form that it is in.
    ///
    /// Only a string and data can be both; of those the preferred form is tried first.
    ///
    /// - Throws: The error of the form that the value is more likely in, if it is in neither.
    static func decode<Value: Decodable>(
        _ type: Value.Type,
        from stored: PropertyListValue,
        preferring form: CodableForm
    ) throws(ValueDecodingError) -> Value {
        switch (stored, form) {
        case (.string, .json), (.data, .json):
            do throws(ValueDecodingError) {
                return try JSONCoding.decode(type, from: stored)
            } catch {
                // Of the two errors the one about the preferred form is told.
                guard let value = try? PropertyListValueDecoder().decode(type, from: stored) else { throw error }
                return value
            }
        case (.string, .structured), (.data, .structured):
            do throws(ValueDecodingError) {
                return try PropertyListValueDecoder().decode(type, from: stored)
            } catch {
                // Where the type is stored as a collection, a string or data was meant to be JSON text.
                if error.isOfOtherKind { return try JSONCoding.decode(type, from: stored) }
                // Of the two errors the one about the preferred form is told.
                guard let value = try? JSONCoding.decode(type, from: stored) else { throw error }
                return value
            }
        default:
            return try PropertyListValueDecoder().decode(type, from: stored)
        }
    }
}

extension ValueDecodingError {
    /// Whether the outermost value was of another kind than its type is stored as.
    fileprivate var isOfOtherKind: Bool {
        if case .typeMismatch = cause { path.steps.isEmpty } else { false }
    }
}
