extension Defaults {
    /// Reads values of other kinds too, by the platform's conversions; writes what the type's own bridge writes.
    ///
    /// What is read is converted by ``Coercible/coerced(from:)``, so that the text `8080` makes an `Int`. What is written
    /// is the plain value: a number as a number, never as text. A URL is written as ``URLBridge`` writes it, as text;
    /// `UserDefaults` archives it instead, which no person can read and this bridge does not.
    public struct CoercingBridge<Value: Coercible>: Bridge, Sendable {
        /// Makes the bridge.
        public init() {}

        public func serialize(_ value: Value?) -> PropertyListValue? { serializeByEncoding(value) }

        public func deserialize(_ object: PropertyListValue?) -> Value? {
            object.flatMap(Value.coerced(from:))
        }

        public func encode(_ value: Value) throws(ValueEncodingError) -> PropertyListValue {
            try Value.bridge.encode(value)
        }

        public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Value {
            guard let value = Value.coerced(from: stored) else {
                throw .unreadable(stored, reason: Value.coercionRule)
            }
            return value
        }
    }
}
