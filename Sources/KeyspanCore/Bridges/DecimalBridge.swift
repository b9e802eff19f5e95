#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Defaults {
    /// Stores a decimal number as its digits in a string, so that none is lost.
    ///
    /// Reading accepts an integer as well. A real is refused, because its decimal digits are not exact.
    public struct DecimalBridge: Bridge, Sendable {
        /// Makes the bridge.
        public init() {}

        public func serialize(_ value: Decimal?) -> String? {
            guard let value, !value.isNaN else { return nil }
            return value.description
        }

        public func deserialize(_ object: String?) -> Decimal? {
            // `Decimal(string:)` reads a prefix and ignores the rest.
            guard let object, object.utf8.allSatisfy(Self.isNumeral) else { return nil }
            return Decimal(string: object)
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
                case .integer(let integer): integer.description
                default: throw ValueDecodingError.typeMismatch(expected: .string, found: stored)
                }
            guard let value = deserialize(text) else { throw .unreadable(stored, reason: "it is no decimal number") }
            return value
        }

        private static func isNumeral(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "e"), UInt8(ascii: "E"):
                true
            default: false
            }
        }
    }
}

extension Decimal: Defaults.Serializable {
    public static var bridge: Defaults.DecimalBridge { Defaults.DecimalBridge() }
}
