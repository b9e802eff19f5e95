public import Foundation
public import KeyspanCore

extension Defaults {
    /// Stores a locale as its identifier.
    ///
    /// The locale that follows the user's choice is stored as the present choice. An identifier that begins with a brace, as no
    /// real one does, is stored as JSON text. Reading also accepts the `Codable` form, as JSON text in a string or in data, or as
    /// a dictionary; DefaultsWrapper writes JSON text in data.
    ///
    /// FoundationEssentials has only one locale and discards all other identifiers, so this bridge needs full Foundation.
    public struct LocaleBridge: Bridge, Sendable {
        /// Makes the bridge.
        public init() {}

        public func serialize(_ value: Locale?) -> String? {
            guard let identifier = value?.identifier else { return nil }
            return Self.isJSON(identifier) ? TopLevelCodableBridge<Locale>().serialize(value) : identifier
        }

        public func deserialize(_ object: String?) -> Locale? {
            guard let object else { return nil }
            return Self.isJSON(object)
                ? TopLevelCodableBridge<Locale>().deserialize(object) : Locale(identifier: object)
        }

        public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Locale {
            if case .string(let identifier) = stored, !Self.isJSON(identifier) {
                return Locale(identifier: identifier)
            }
            return try StructuredCodableBridge().decode(stored, in: &context)
        }

        private static func isJSON(_ text: String) -> Bool { text.hasUTF8Prefix("{") }
    }
}

extension Locale: Defaults.Serializable {
    public static var bridge: Defaults.LocaleBridge { Defaults.LocaleBridge() }
}
