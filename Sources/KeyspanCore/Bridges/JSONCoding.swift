#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Conversion between `Codable` values and JSON text, with errors that contain the path and no value.
@usableFromInline
enum JSONCoding {
    // Shared safely: encoders are `Sendable`, and this one is never changed.
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

    /// Decodes a whole collection from JSON text in data, the form in which several libraries store `Codable` arrays.
    ///
    /// - Returns: `nil` for any other kind of value, or if the elements are not `Codable`.
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

/// The member names of the outermost object in JSON text, in their order, with duplicates.
///
/// `JSONDecoder` returns a dictionary, which merges names that are equal to `String`.
struct JSONNames {
    /// The names; empty if the text is anything but an object.
    let names: [String]

    /// Finds the names in text that a decoder has accepted.
    init(_ text: Data) {
        var names: [String] = []
        var (depth, isAtName) = (0, false)
        var index = text.startIndex
        while index < text.endIndex {
            switch text[index] {
            case UInt8(ascii: "\""):
                let start = index
                index = Self.end(ofString: start, in: text)
                if depth == 1, isAtName, let name = try? JSONDecoder().decode(String.self, from: text[start..<index]) {
                    names.append(name)
                    isAtName = false
                }
                continue
            case UInt8(ascii: "{"):
                depth += 1
                isAtName = depth == 1
            case UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ","): isAtName = depth == 1
            default: break
            }
            index += 1
        }
        self.names = names
    }

    /// The index after the closing quotation mark of a string.
    private static func end(ofString start: Data.Index, in text: Data) -> Data.Index {
        var index = start + 1
        while index < text.endIndex, text[index] != UInt8(ascii: "\"") {
            index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index + 1, text.endIndex)
    }
}
