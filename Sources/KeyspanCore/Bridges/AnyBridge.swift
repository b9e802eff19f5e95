extension Defaults {
    /// Stores the value that an ``AnySerializable`` holds, as it is.
    public struct AnyBridge: Bridge, Sendable {
        /// Makes the bridge.
        public init() {}

        public func serialize(_ value: AnySerializable?) -> PropertyListValue? { value?.propertyListValue }

        public func deserialize(_ object: PropertyListValue?) -> AnySerializable? { object.map { AnySerializable($0) } }

        public func encode(_ value: AnySerializable) throws(ValueEncodingError) -> PropertyListValue {
            guard let stored = try value.storedValue() else {
                throw ValueEncodingError(reason: "nil has no stored form")
            }
            return stored
        }

        public func decode(_ stored: PropertyListValue, in context: inout DecodingContext) -> AnySerializable {
            AnySerializable(stored)
        }
    }
}
