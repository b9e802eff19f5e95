public import Foundation
public import KeyspanCore

extension Defaults {
    /// Stores a time zone as its identifier, such as `Europe/Berlin`.
    ///
    /// The zone that follows the user's choice is stored as the present choice. Reading also accepts the `Codable` form, as JSON text in a
    /// string or in data, or as a dictionary. An identifier that the system does not know is an error.
    ///
    /// FoundationEssentials has no database of time zones, so this bridge needs full Foundation.
    public struct TimeZoneBridge: Bridge, Sendable {
        /// Makes the bridge.
        public init() {}

        public func serialize(_ value: TimeZone?) -> String? { value?.identifier }

        public func deserialize(_ object: String?) -> TimeZone? {
            object.flatMap {
                Self.isJSON($0) ? TopLevelCodableBridge<TimeZone>().deserialize($0) : TimeZone(identifier: $0)
            }
        }

        public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> TimeZone {
            guard case .string(let identifier) = stored, !Self.isJSON(identifier) else {
                return try StructuredCodableBridge().decode(stored, in: &context)
            }
            guard let value = TimeZone(identifier: identifier) else {
                throw .unreadable(
                    stored,
                    reason: "the system knows no such time zone; write it as Europe/Berlin or GMT"
                )
            }
            return value
        }

        private static func isJSON(_ text: String) -> Bool { text.hasUTF8Prefix("{") }
    }
}

extension TimeZone: Defaults.Serializable {
    public static var bridge: Defaults.TimeZoneBridge { Defaults.TimeZoneBridge() }
}
