#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Defaults {
    /// Stores a UUID as its text in upper case.
    ///
    /// Reading accepts JSON text in a string or in data as well, where the text is between quotation marks.
    public struct UUIDBridge: Bridge, Sendable {
        /// Makes the bridge.
        public init() {}

        public func serialize(_ value: UUID?) -> String? { value?.uuidString }

        public func deserialize(_ object: String?) -> UUID? { object.flatMap(UUID.init(uuidString:)) }

        public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> UUID {
            switch stored {
            case .string(let text) where !text.hasUTF8Prefix("\""):
                guard let value = deserialize(text) else { throw .unreadable(stored, reason: "it is no UUID") }
                return value
            default: return try JSONCoding.decode(UUID.self, from: stored)
            }
        }
    }
}

extension UUID: Defaults.Serializable {
    public static var bridge: Defaults.UUIDBridge { Defaults.UUIDBridge() }
}
