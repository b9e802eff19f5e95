#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension Defaults {
    /// Stores a `Codable` value as JSON text in a string, its names sorted.
    ///
    /// This is the form that the Defaults library writes. Dates and data inside are in `JSONEncoder`'s default forms; a number
    /// that is not finite cannot be stored.
    ///
    /// Reading accepts JSON text in data as well, as other libraries write it, and the form that ``StructuredCodableBridge``
    /// stores. A string is JSON text first: only one that is no JSON of the type is taken for the structured form of a type
    /// that is stored as one string.
    public protocol CodableBridge: Bridge where Serializable == String, Value: Codable {}

    /// Stores a `Codable` value as JSON text.
    public struct TopLevelCodableBridge<Value: Codable>: CodableBridge, Sendable {
        /// Makes the bridge.
        public init() {}
    }

    /// Stores a `Codable` value as JSON text although it is raw-representable as well.
    ///
    /// Choose ``PreferRawRepresentable`` to store the raw value instead.
    public struct RawRepresentableCodableBridge<Value: RawRepresentable & Codable>: CodableBridge, Sendable {
        /// Makes the bridge.
        public init() {}
    }
}

extension Defaults.CodableBridge {
    public func serialize(_ value: Value?) -> String? {
        guard let value else { return nil }
        do {
            return try JSONCoding.encode(value)
        } catch {
            // This form of the question has no place for the reason; `encode(_:)` gives it.
            return nil
        }
    }

    public func deserialize(_ object: String?) -> Value? {
        guard let object else { return nil }
        do {
            return try CodableForm.decode(Value.self, from: .string(object), preferring: .json)
        } catch {
            // This form of the question has no place for the reason; `decode(_:in:)` gives it.
            return nil
        }
    }

    public func encode(_ value: Value) throws(ValueEncodingError) -> PropertyListValue {
        .string(try JSONCoding.encode(value))
    }

    public func decode(
        _ stored: PropertyListValue,
        in context: inout Defaults.DecodingContext
    ) throws(ValueDecodingError) -> Value {
        try CodableForm.decode(Value.self, from: stored, preferring: .json)
    }
}

extension Defaults.Serializable where Self: Codable {
    public static var bridge: Defaults.TopLevelCodableBridge<Self> { Defaults.TopLevelCodableBridge() }
}

extension Defaults.Serializable where Self: Codable & RawRepresentable, RawValue: Defaults.Serializable {
    public static var bridge: Defaults.RawRepresentableCodableBridge<Self> {
        Defaults.RawRepresentableCodableBridge()
    }
}
