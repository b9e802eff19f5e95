#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// `Codable` values to JSON text and back, with errors that carry the path and no value.
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
        } catch let EncodingError.invalidValue(_, context) {
            throw ValueEncodingError(reason: "JSON has no form for it").nested(under: context.codingPath)
        } catch {
            throw ValueEncodingError(reason: "its encode(to:) threw \(type(of: error))")
        }
    }

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

    /// What is wrong, without the decoder's own text, which can contain the value.
    private static func reason(for error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, _): "the JSON has no \(key.stringValue.debugDescription)"
        case .typeMismatch(let type, _): "the JSON is no \(type)"
        case .valueNotFound(let type, _): "the JSON has null where a \(type) is needed"
        case .dataCorrupted: "it is no valid JSON of this type"
        @unknown default: "it does not decode"
        }
    }
}

extension DecodingError {
    fileprivate var codingPath: [any CodingKey] {
        switch self {
        case .keyNotFound(_, let context), .typeMismatch(_, let context), .valueNotFound(_, let context),
            .dataCorrupted(let context):
            context.codingPath
        @unknown default: []
        }
    }
}

extension ValueDecodingError {
    fileprivate func nested(under codingPath: [any CodingKey]) -> ValueDecodingError {
        codingPath.reversed().reduce(self) { $0.nested(under: .init($1)) }
    }
}

extension ValueEncodingError {
    fileprivate func nested(under codingPath: [any CodingKey]) -> ValueEncodingError {
        codingPath.reversed().reduce(self) { $0.nested(under: .init($1)) }
    }
}

extension ValuePath.Step {
    fileprivate init(_ key: any CodingKey) {
        self = key.intValue.map { .index($0) } ?? .name(key.stringValue)
    }
}
