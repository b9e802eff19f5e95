extension Defaults {
    /// A type that values of other kinds can be converted to, by the rules of <doc:CoercingValues> or by its own.
    ///
    /// `Bool`, the integers, `Float`, `Double`, `String` and `URL` conform. A type of yours whose values come from launch
    /// arguments declares the conversion:
    ///
    /// ```swift
    /// enum Verbosity: Int, Defaults.Serializable, Defaults.Coercible {
    ///     case quiet, normal, loud
    ///
    ///     static func coerced(from stored: PropertyListValue) -> Verbosity? {
    ///         switch stored.stringValue {
    ///         case "quiet": .quiet
    ///         case "loud": .loud
    ///         default: Int.coerced(from: stored).flatMap(Verbosity.init)
    ///         }
    ///     }
    /// }
    /// ```
    public protocol Coercible: Serializable where Bridge.Value == Self {
        /// Converts a stored value of any kind; `nil` if it does not count as a value of this type.
        static func coerced(from stored: PropertyListValue) -> Self?

        /// The rule of conversion, as a clause for errors; it names no value.
        static var coercionRule: String { get }
    }
}

extension Defaults.Coercible {
    public static var coercionRule: String { "it cannot be converted to \(TypeWords.of(Self.self).one)" }
}

extension Defaults {
    /// Reads values of any kind by the platform's conversions, and writes as the type's own bridge does.
    ///
    /// ``Coercible/coerced(from:)`` converts stored values, so that the text `8080` makes an `Int`. A number is written as a
    /// number, never as text. A URL is written as text, like ``URLBridge`` does; the archives that `UserDefaults` writes for
    /// URLs are not read.
    public struct CoercingBridge<Value: Coercible>: Bridge, Sendable {
        /// Makes the bridge.
        public init() {}

        @_spi(StoreAuthors) public func serialize(_ value: Value?) -> PropertyListValue? { serializeByEncoding(value) }

        @_spi(StoreAuthors) public func deserialize(_ object: PropertyListValue?) -> Value? {
            object.flatMap(Value.coerced(from:))
        }

        @_spi(StoreAuthors) public func encode(_ value: Value) throws(ValueEncodingError) -> PropertyListValue {
            try Value.bridge.encode(value)
        }

        @_spi(StoreAuthors) public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Value {
            guard let value = Value.coerced(from: stored) else {
                throw .unreadable(stored, reason: CoercionFlaw.reason(for: stored, as: Value.self))
            }
            return value
        }
    }
}
