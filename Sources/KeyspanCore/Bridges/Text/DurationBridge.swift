extension Defaults {
    /// Stores a duration as people write it: `5s`, `1h30m`, `250ms`, `1.5s`.
    ///
    /// Reading accepts these units, in this order and each once: `w`, `d` (of 24 hours), `h`, `m`, `s`, `ms`, `us` or `µs`, `ns`. Numbers
    /// may have a fraction, and a sign stands before the whole. It also accepts durations of ISO 8601 without years and months, such as
    /// `PT5M`, and the `Codable` form as JSON text. A number without a unit is an error. No digit is lost: a duration is a whole number of
    /// attoseconds.
    ///
    /// - SeeAlso: ISO 8601-1:2019, section 5.5.2.
    public struct DurationBridge: Bridge, Sendable {
        package init() {}

        private static let needsUnit = "a duration needs a unit, such as 5s; \(DurationText.forms)"

        @_spi(StoreAuthors) public func serialize(_ value: Duration?) -> String? { value.map(DurationText.text) }

        @_spi(StoreAuthors) public func deserialize(_ object: String?) -> Duration? {
            object.flatMap(DurationText.duration)
        }

        @_spi(StoreAuthors) public func encode(_ value: Duration) throws(ValueEncodingError) -> PropertyListValue {
            try value.structuredForm()
        }

        @_spi(StoreAuthors) public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Duration {
            switch stored {
            case .string(let text) where !text.hasUTF8Prefix("["):
                guard let duration = DurationText.duration(of: text) else {
                    let isNumber = DecimalNumeral(text, allowsSpace: true) != nil
                    throw .unreadable(
                        stored,
                        reason: isNumber ? Self.needsUnit : "it is not a duration; \(DurationText.forms)"
                    )
                }
                return duration
            case .string, .data:
                return try JSONCoding.decode(Duration.self, from: stored).checked(readFrom: stored)
            case .integer, .real:
                throw .unreadable(stored, reason: Self.needsUnit)
            default: throw .typeMismatch(expected: .string, found: stored)
            }
        }
    }
}

extension Duration: Defaults.Serializable {
    public static var bridge: Defaults.DurationBridge { Defaults.DurationBridge() }
}

/// Inside structured values it is the same text; the `Codable` form, an array of two integers, is read as well.
extension Duration: StructuredLeaf {
    func structuredForm() throws(ValueEncodingError) -> PropertyListValue {
        guard DurationText.isInRange(self) else {
            throw ValueEncodingError(reason: "the duration has more seconds than an Int64 holds")
        }
        return .string(DurationText.text(for: self))
    }

    /// The duration, unless its seconds are out of range.
    fileprivate func checked(readFrom stored: PropertyListValue) throws(ValueDecodingError) -> Duration {
        guard DurationText.isInRange(self) else {
            throw .unreadable(stored, reason: "it has more seconds than an Int64 holds; \(DurationText.forms)")
        }
        return self
    }

    init(structuredForm stored: PropertyListValue) throws(ValueDecodingError) {
        if case .array = stored {
            let parts = try [PropertyListValue](propertyListValue: stored)
            guard parts.count == 2 else {
                throw .unreadable(stored, reason: "it is not a duration; \(DurationText.forms)")
            }
            let (high, low) = (try Int64(propertyListValue: parts[0]), try UInt64(propertyListValue: parts[1]))
            self = try Duration(attoseconds: Int128(high) << 64 | Int128(low)).checked(readFrom: stored)
            return
        }
        var context = Defaults.DecodingContext(isStrict: true)
        self = try Defaults.DurationBridge().decode(stored, in: &context)
    }
}

extension Defaults.DurationBridge: SchemaBridge {
    static func schema(levels: Int) -> PropertyListDictionary {
        let number = "[0-9]+([.,][0-9]+)?"
        let units = ["w", "d", "h", "m", "s", "ms", "(us|\u{B5}s|\u{3BC}s)", "ns"].map { "( *\(number)\($0))?" }
            .joined()
        let day = "(\(number)W)?(\(number)D)?"
        let time = "(T(?=[0-9])(\(number)H)?(\(number)M)?(\(number)S)?)?"
        return [
            "type": "string", "pattern": .string("^([+-]?(?=[0-9])\(units)|[+-]?P(?=[0-9T])\(day)\(time)|\\[.*)$"),
            "examples": ["30s", "1h 30m", "1.5s"],
        ]
    }
}
