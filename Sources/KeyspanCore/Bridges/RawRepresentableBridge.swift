extension Defaults {
    /// Chooses the raw value as the stored form of a type that is `Codable` as well, which is stored as JSON otherwise.
    public protocol PreferRawRepresentable: RawRepresentable {}

    /// Stores the raw value of an enumeration or another raw-representable type, with the bridge of that value.
    public struct RawRepresentableBridge<Value: RawRepresentable>: Bridge, Sendable
    where Value.RawValue: Defaults.Serializable {
        /// What the raw value's bridge stores.
        public typealias Serializable = Value.RawValue.Serializable

        /// Makes the bridge.
        public init() {}

        public func serialize(_ value: Value?) -> Serializable? {
            value.flatMap { Value.RawValue.bridge.serialize($0.rawValue as? Value.RawValue.Value) }
        }

        public func deserialize(_ object: Serializable?) -> Value? {
            (Value.RawValue.bridge.deserialize(object) as? Value.RawValue).flatMap(Value.init(rawValue:))
        }

        public func encode(_ value: Value) throws(ValueEncodingError) -> PropertyListValue {
            try Value.RawValue.encodePart(value.rawValue)
        }

        public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Value {
            guard let value = Value(rawValue: try Value.RawValue.decode(stored, in: &context)) else {
                throw .unreadable(stored, reason: "it is no raw value of \(Value.self)")
            }
            return value
        }
    }
}

extension Defaults.Serializable where Self: RawRepresentable, RawValue: Defaults.Serializable {
    public static var bridge: Defaults.RawRepresentableBridge<Self> { Defaults.RawRepresentableBridge() }
}

extension Defaults.Serializable
where Self: Codable & RawRepresentable & Defaults.PreferRawRepresentable, RawValue: Defaults.Serializable {
    public static var bridge: Defaults.RawRepresentableBridge<Self> { Defaults.RawRepresentableBridge() }
}
