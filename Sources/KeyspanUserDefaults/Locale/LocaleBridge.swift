public import Foundation
public import KeyspanCore

extension Defaults {
    /// Stores a locale as its identifier.
    ///
    /// The locale that follows the user's choice is stored as what it is now. Reading accepts the `Codable` form as well, as
    /// JSON text in a string or in data, or as a dictionary; DefaultsWrapper writes JSON text in data.
    ///
    /// FoundationEssentials has only one locale and forgets the identifier of any other, so this bridge needs full Foundation.
    public struct LocaleBridge: Bridge, Sendable {
        /// Makes the bridge.
        public init() {}

        public func serialize(_ value: Locale?) -> String? { value?.identifier }

        public func deserialize(_ object: String?) -> Locale? { object.map(Locale.init(identifier:)) }

        public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Locale {
            // No identifier begins with a brace, and the JSON text does.
            if case .string(let identifier) = stored, !identifier.hasPrefix("{") {
                return Locale(identifier: identifier)
            }
            return try StructuredCodableBridge().decode(stored, in: &context)
        }
    }
}

extension Locale: Defaults.Serializable {
    public static var bridge: Defaults.LocaleBridge { Defaults.LocaleBridge() }
}
