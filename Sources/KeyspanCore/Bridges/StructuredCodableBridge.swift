extension Defaults {
    /// Chooses a property list that a person can read and edit as the stored form of a `Codable` type, instead of JSON text.
    ///
    /// ```swift
    /// struct Server: Codable, Defaults.Serializable, Defaults.PreferStructured {
    ///     var host: String
    ///     var port: Int
    /// }
    ///
    /// extension Defaults.Keys {
    ///     static let server = Key<Server>("server", default: Server(host: "localhost", port: 80))
    /// }
    /// ```
    ///
    /// The store has `["host": "localhost", "port": 80]` for this key, where it would have
    /// `"{\"host\":\"localhost\",\"port\":80}"`. Values that were stored before the type adopted this protocol are still read.
    public protocol PreferStructured: Codable {}

    /// Stores a `Codable` value as what ``PropertyListValueEncoder`` makes of it.
    ///
    /// Reading accepts JSON text in a string or in data as well, as ``CodableBridge`` and other libraries write it. A type whose
    /// structured form is itself a string is read from that form first: text between quotation marks keeps them.
    public struct StructuredCodableBridge<Value: Codable>: Bridge, Sendable {
        /// Makes the bridge.
        public init() {}

        public func serialize(_ value: Value?) -> PropertyListValue? { serializeByEncoding(value) }

        public func deserialize(_ object: PropertyListValue?) -> Value? { deserializeByDecoding(object) }

        public func encode(_ value: Value) throws(ValueEncodingError) -> PropertyListValue {
            try PropertyListValueEncoder().encode(value)
        }

        public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Value {
            try CodableForm.decode(Value.self, from: stored, preferring: .structured)
        }
    }
}

extension Defaults.Serializable where Self: Defaults.PreferStructured {
    public static var bridge: Defaults.StructuredCodableBridge<Self> { Defaults.StructuredCodableBridge() }
}

extension Defaults.Serializable
where Self: Defaults.PreferStructured & RawRepresentable, RawValue: Defaults.Serializable {
    public static var bridge: Defaults.StructuredCodableBridge<Self> { Defaults.StructuredCodableBridge() }
}
