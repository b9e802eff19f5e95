extension Defaults {
    /// A type that keys can have as their value.
    ///
    /// The standard value types conform already. A type of yours that is `Codable` or `RawRepresentable` conforms without any
    /// code; any other type names its ``Bridge``.
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
        /// The type that the bridge converts: this type, or the wrapped type of an optional.
        typealias Value = Bridge.Value

        /// The type that the bridge stores.
        typealias Serializable = Bridge.Serializable

        /// The bridge's type.
        associatedtype Bridge: Defaults.Bridge

        /// The bridge.
        static var bridge: Bridge { get }

        /// Whether values are stored without conversion.
        static var isNativelySupportedType: Bool { get }

        /// Whether all readers of a key may share one decoded value until it changes.
        ///
        /// The default is `true` unless the type is a class, whose instances one reader could change under another. Return
        /// `false` for a structure that holds such instances.
        static var sharesDecodedValues: Bool { get }

        /// The separate bridge for arrays of this type, if there is one.
        ///
        /// Conform to ``ArraySerializable`` instead of implementing this. It is a requirement, with an erased type, so that
        /// every array can look it up without a cast.
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
        // The one other type with an empty value; a concrete cast, because the compiler resolves it for each type.
        if let value = value as? Defaults.AnySerializable, value._defaults_isNil { return nil }
        if let value = value as? Value {
            return try bridge.encode(value)
        }
        if let value = value as? any _DefaultsOptionalProtocol, value._defaults_isNil { return nil }
        throw ValueEncodingError(reason: "its bridge is for \(Value.self), not for \(Self.self)")
    }

    /// The value of a stored form.
    @inlinable
    static func decode(
        _ stored: PropertyListValue,
        in context: inout Defaults.DecodingContext
    ) throws(ValueDecodingError) -> Self {
        let value: Value
        do throws(ValueDecodingError) {
            value = try bridge.decode(stored, in: &context)
        } catch {
            value = try context.declaredValue(ofText: stored, insteadOf: error)
        }
        guard let value = value as? Self else {
            throw .unreadable(stored, reason: "its bridge makes \(Value.self), not \(Self.self)")
        }
        return value
    }
}

extension Defaults.Serializable {
    /// The value of a stored form; `nil` if any part of it cannot be read.
    ///
    /// A strict read of a key gives the reason.
    public static func toValue(_ stored: PropertyListValue) -> Self? {
        toValue(stored, type: Self.self)
    }

    /// The value of another type from a stored form; `nil` if any part of it cannot be read.
    public static func toValue<Value: Defaults.Serializable>(
        _ stored: PropertyListValue,
        type: Value.Type
    ) -> Value? {
        var context = Defaults.DecodingContext(isStrict: true)
        do {
            return try Value.decode(stored, in: &context)
        } catch {
            // A strict read of a key gives the reason.
            return nil
        }
    }

    /// The stored form of a value; `nil` for an optional without a value, and for a value without a stored form.
    ///
    /// A strict write with a key gives the reason.
    public static func toSerializable(_ value: Self) -> PropertyListValue? {
        do {
            return try encode(value)
        } catch {
            // A strict write gives the reason.
            return nil
        }
    }
}
