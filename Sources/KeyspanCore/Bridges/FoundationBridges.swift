#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Defaults {
    /// Stores a decimal number as its digits in a string, so that no digit is lost.
    ///
    /// Reading also accepts an integer, a real whose decimal digits are exact (up to 15, as for `1.5` in a file), and the digits as JSON
    /// text in data. It rejects a number with more digits than a `Decimal` holds.
    struct DecimalBridge: Bridge, Sendable {
        func serialize(_ value: Decimal?) -> String? {
            guard let value, !value.isNaN else { return nil }
            return value.description
        }

        func deserialize(_ object: String?) -> Decimal? {
            // `Decimal(string:)` reads a prefix and ignores the rest, and it rounds silently.
            guard let object, let numeral = DecimalNumeral(object), let value = Decimal(string: object),
                numeral.digits == DecimalNumeral(value.description)?.digits
            else { return nil }
            return value
        }

        func encode(_ value: Decimal) throws(ValueEncodingError) -> PropertyListValue {
            guard let text = serialize(value) else { throw ValueEncodingError(reason: "it is not a number") }
            return .string(text)
        }

        func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Decimal {
            let text =
                switch stored {
                case .string(let text): text
                case .data(let text): String(decoding: text, as: UTF8.self)
                case .integer(let integer): integer.description
                case .real(let real): try Self.digits(of: real)
                default: throw ValueDecodingError.typeMismatch(expected: .string, found: stored)
                }
            guard let value = deserialize(text) else {
                throw .unreadable(stored, reason: "it is not a decimal number; write it as 1.10")
            }
            return value
        }
    }
}

extension Defaults.DecimalBridge {
    /// The digits that someone wrote for a real.
    ///
    /// - Throws: ``ValueDecodingError`` for more than 15 digits, which a `Double` may have rounded.
    private static func digits(of real: Double) throws(ValueDecodingError) -> String {
        let text = DecimalNumeral.text(of: real)
        guard real.isFinite, let digits = DecimalNumeral(text)?.digits, digits.count <= 15 else {
            throw .unreadable(.real(real), reason: "its digits are not exact; write them in quotation marks")
        }
        return text
    }
}

extension Defaults.DecimalBridge: SchemaBridge {
    static func schema(levels: Int) -> PropertyListDictionary {
        ["type": ["string", "number"], "pattern": "^[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?$"]
    }
}

extension Decimal: Defaults.Serializable {
    public static var bridge: some Defaults.Bridge<Decimal, String> { Defaults.DecimalBridge() }
}

extension Decimal: StructuredLeaf {
    func structuredForm() throws(ValueEncodingError) -> PropertyListValue {
        try Defaults.DecimalBridge().encode(self)
    }

    init(structuredForm stored: PropertyListValue) throws(ValueDecodingError) {
        var context = Defaults.DecodingContext(isStrict: true)
        self = try Defaults.DecimalBridge().decode(stored, in: &context)
    }
}

extension Defaults {
    /// Stores a UUID as its text in upper case.
    ///
    /// Reading also accepts JSON text in a string or in data, where the UUID is between quotation marks.
    public struct UUIDBridge: Bridge, Sendable {
        package init() {}

        @_spi(StoreAuthors) public func serialize(_ value: UUID?) -> String? { value?.uuidString }

        @_spi(StoreAuthors) public func deserialize(_ object: String?) -> UUID? {
            object.flatMap(UUID.init(uuidString:))
        }

        @_spi(StoreAuthors) public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> UUID {
            switch stored {
            case .string(let text) where !text.hasUTF8Prefix("\""):
                guard let value = deserialize(text) else {
                    throw .unreadable(
                        stored,
                        reason: "it is not a UUID; write it as 6F1A0A3C-55A5-4A31-9C3F-0C8B7B6C1E57"
                    )
                }
                return value
            default: return try JSONCoding.decode(UUID.self, from: stored)
            }
        }
    }
}

extension Defaults.UUIDBridge: SchemaBridge {
    static func schema(levels: Int) -> PropertyListDictionary {
        let text = "[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
        return ["type": "string", "pattern": .string("^(\(text)|\"\(text)\")$")]
    }
}

extension UUID: Defaults.Serializable {
    public static var bridge: Defaults.UUIDBridge { Defaults.UUIDBridge() }
}
