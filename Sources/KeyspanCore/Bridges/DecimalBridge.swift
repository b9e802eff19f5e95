#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Defaults {
    /// Stores a decimal number as its digits in a string, so that none is lost.
    ///
    /// Reading accepts an integer as well, and JSON text in data, where the number is a number. A real is refused, because its
    /// decimal digits are not exact, and so is a number with more digits than a `Decimal` has.
    public struct DecimalBridge: Bridge, Sendable {
        /// Makes the bridge.
        public init() {}

        public func serialize(_ value: Decimal?) -> String? {
            guard let value, !value.isNaN else { return nil }
            return value.description
        }

        public func deserialize(_ object: String?) -> Decimal? {
            // `Decimal(string:)` reads a prefix and ignores the rest, and it rounds without a word.
            guard let object, let numeral = DecimalNumeral(object), let value = Decimal(string: object),
                numeral.significantDigits == DecimalNumeral(value.description)?.significantDigits
            else { return nil }
            return value
        }

        public func encode(_ value: Decimal) throws(ValueEncodingError) -> PropertyListValue {
            guard let text = serialize(value) else { throw ValueEncodingError(reason: "it is not a number") }
            return .string(text)
        }

        public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Decimal {
            let text =
                switch stored {
                case .string(let text): text
                case .data(let text): String(decoding: text, as: UTF8.self)
                case .integer(let integer): integer.description
                default: throw ValueDecodingError.typeMismatch(expected: .string, found: stored)
                }
            guard let value = deserialize(text) else { throw .unreadable(stored, reason: "it is no decimal number") }
            return value
        }
    }
}

extension Decimal: Defaults.Serializable {
    public static var bridge: Defaults.DecimalBridge { Defaults.DecimalBridge() }
}
