#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// `Codable` values to JSON text and back, with errors that carry the path and no value.
@usableFromInline
enum JSONCoding {
    // Encoders are `Sendable` and never changed after this.
    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }()

    private static let decoder = JSONDecoder()

    static func encode(_ value: some Encodable) throws(ValueEncodingError) -> String {
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            throw ValueEncodingError(error, format: "JSON")
        }
    }

    /// Decodes a value from JSON text in a string or in data; any other kind is a type mismatch.
    static func decode<Value: Decodable>(
        _ type: Value.Type,
        from stored: PropertyListValue
    ) throws(ValueDecodingError) -> Value {
        let text: Data =
            switch stored {
            case .string(let text): Data(text.utf8)
            case .data(let text): text
            default: throw .typeMismatch(expected: .string, found: stored)
            }
        do {
            return try decoder.decode(type, from: text)
        } catch let error as DecodingError {
            throw .unreadable(stored, reason: reason(for: error)).nested(under: error.codingPath)
        } catch {
            throw .unreadable(stored, reason: "its init(from:) threw \(Swift.type(of: error))")
        }
    }

    /// Decodes a whole collection from JSON text in data, as several libraries store arrays of `Codable` values.
    ///
    /// - Returns: `nil` if the value is no data, or if the elements are not `Codable`.
    @usableFromInline
    static func decodeCollection<Value>(
        _ type: Value.Type,
        from stored: PropertyListValue
    ) throws(ValueDecodingError) -> Value? {
        guard case .data = stored, let type = type as? any Decodable.Type else { return nil }
        return try decode(type, from: stored) as? Value
    }

    private static func reason(for error: DecodingError) -> String {
        if case .dataCorrupted = error { return "it is no valid JSON of this type" }
        return error.reason(in: "the JSON")
    }
}
