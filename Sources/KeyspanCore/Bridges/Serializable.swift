extension Defaults {
    /// A type that keys can have as their value.
    ///
    /// The standard value types conform already. A type of yours conforms without a line of code if it is `Codable` or
    /// `RawRepresentable`; any other names its ``Bridge``, which has an example.
    ///
    /// ```swift
    /// enum Theme: String, Defaults.Serializable {
    ///     case light, dark
    /// }
    ///
    /// struct Account: Codable, Defaults.Serializable {
    ///     var name: String
    /// }
    /// ```
    public protocol Serializable<Bridge>: SendableMetatype {
        /// What the bridge converts: this type, or the wrapped one if this is an optional.
        typealias Value = Bridge.Value

        /// What the bridge stores.
        typealias Serializable = Bridge.Serializable

        /// The bridge's type.
        associatedtype Bridge: Defaults.Bridge

        /// The bridge.
        static var bridge: Bridge { get }

        /// Whether values are stored as they are, without conversion.
        static var isNativelySupportedType: Bool { get }

        /// Whether a key may decode a value once and hand it to all who read it, until it changes.
        ///
        /// `true` unless the type is a class, whose instances a reader could change under the others. Answer `false`
        /// for a structure that holds such instances.
        static var sharesDecodedValues: Bool { get }

        /// The bridge for arrays of this type, if it has one of its own.
        ///
        /// Conform to ``ArraySerializable`` instead of implementing this. It is a requirement, and without its type, so that
        /// every array can ask for it without a cast.
        static var _arrayBridge: (any Defaults.Bridge)? { get }
    }
}

extension Defaults.Serializable {
    public static var isNativelySupportedType: Bool { false }

    public static var sharesDecodedValues: Bool { !(Self.self is AnyObject.Type) }

    @inlinable
    public static var _arrayBridge: (any Defaults.Bridge)? { nil }
}

extension Defaults.Serializable {
    /// The stored form of a value; `nil` for an optional without a value.
    @inlinable
    static func encode(_ value: Self) throws(ValueEncodingError) -> PropertyListValue? {
        // The type with a `nil` of its own; asked by its name because the compiler decides this question for each type.
        if let value = value as? Defaults.AnySerializable, value._defaults_isNil { return nil }
        if let value = value as? Value {
            return try bridge.encode(value)
        }
        if let value = value as? any Defaults._DefaultsOptionalProtocol, value._defaults_isNil { return nil }
        throw ValueEncodingError(reason: "its bridge is for \(Value.self), not for \(Self.self)")
    }

    /// The value of a stored form.
    @inlinable
    static func decode(
        _ stored: PropertyListValue,
        in context: inout Defaults.DecodingContext
    ) throws(ValueDecodingError) -> Self {
        guard let value = try bridge.decode(stored, in: &context) as? Self else {
            throw .unreadable(stored, reason: "its bridge makes \(Value.self), not \(Self.self)")
        }
        return value
    }
}
