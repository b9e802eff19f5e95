extension Defaults {
    /// A type whose values are stored as the text that people write for them.
    ///
    /// A type that converts to and from text (`LosslessStringConvertible`) names its forms, and is the type of a key:
    ///
    /// ```swift
    /// struct Version: LosslessStringConvertible, Defaults.TextSerializable {
    ///     var major: Int
    ///     var minor: Int
    ///
    ///     static let textForms = "write it as 1.4"
    ///
    ///     var description: String { "\(major).\(minor)" }
    ///
    ///     init?(_ text: String) {
    ///         let parts = text.split(separator: ".").map { Int($0) }
    ///         guard parts.count == 2, let major = parts[0], let minor = parts[1] else { return nil }
    ///         (self.major, self.minor) = (major, minor)
    ///     }
    /// }
    ///
    /// extension Defaults.Keys {
    ///     static let oldestClient = Key<Version?>("oldestClient")
    /// }
    /// ```
    ///
    /// Choose it for types with one text for each value. A `Codable` type that conforms is encoded as the same text.
    public protocol TextSerializable: LosslessStringConvertible, Serializable {
        /// The forms that ``init(_:)`` reads, with an example, as the end of an error's sentence: `write it as 5s or 1h30m`.
        static var textForms: String { get }

        /// The forms as a regular expression of JSON Schema (ECMA 262), for descriptions of keys; `nil`, the default, allows every text.
        static var textPattern: String? { get }
    }

    /// Stores a value as its text.
    public struct TextBridge<Value: TextSerializable>: Bridge, Sendable {
        package init() {}

        @_spi(StoreAuthors) public func serialize(_ value: Value?) -> String? { value?.description }

        @_spi(StoreAuthors) public func deserialize(_ object: String?) -> Value? { object.flatMap(Value.init) }

        @_spi(StoreAuthors) public func encode(_ value: Value) throws(ValueEncodingError) -> PropertyListValue {
            .string(try value.checkedText())
        }

        @_spi(StoreAuthors) public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Value {
            switch stored {
            case .string(let text):
                guard let value = Value(text) else { throw .unreadable(stored, reason: Value.flaw(of: text)) }
                return value
            // People write a number without its unit, or forget the quotation marks.
            case .integer, .real: throw .unreadable(stored, reason: Value.flaw(of: stored.description))
            default: throw .typeMismatch(expected: .string, found: stored)
            }
        }
    }
}

/// A type of texts that knows what is wrong with one that it cannot read.
protocol FlawExplaining {
    /// The flaw as a clause without any part of the text; `nil` if the text looks altogether different.
    static func flaw(ofText text: String) -> String?
}

extension Defaults.TextSerializable {
    public static var textPattern: String? { nil }

    public static var bridge: Defaults.TextBridge<Self> { Defaults.TextBridge() }

    /// The reason why a text cannot be read, with the forms that can; it contains no part of the text.
    static func flaw(of text: String) -> String {
        if let reason = (self as? any FlawExplaining.Type)?.flaw(ofText: text) { return "\(reason); \(textForms)" }
        let words = TypeWords.of(self)
        return words.noun.hasUTF8Prefix("text") ? textForms : "it is not \(words.noun); \(textForms)"
    }

    /// The text of the value, if that can be read, as an infinite percentage cannot.
    fileprivate func checkedText() throws(ValueEncodingError) -> String {
        let text = description
        guard Self(text) != nil else {
            throw ValueEncodingError(reason: "its text cannot be read again; \(Self.textForms)")
        }
        return text
    }
}

extension Defaults.TextSerializable where Self: Codable {
    public static var bridge: Defaults.TextBridge<Self> { Defaults.TextBridge() }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = Self(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: Self.flaw(of: text))
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        do {
            try container.encode(try checkedText())
        } catch let error as ValueEncodingError {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(codingPath: encoder.codingPath, debugDescription: error.reason)
            )
        }
    }
}

extension Defaults.TextBridge: SchemaBridge {
    static func schema(levels: Int) -> PropertyListDictionary {
        guard let pattern = Value.textPattern else { return ["type": "string"] }
        return ["type": "string", "pattern": .string(pattern)]
    }
}
