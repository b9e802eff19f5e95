extension Defaults {
    /// Stores the value that an optional wraps, with that value's bridge.
    ///
    /// The store has no entry for `nil`, nor for an optional that wraps it.
    public struct OptionalBridge<Wrapped: Serializable>: Bridge, Sendable {
        @inlinable
        package init() {}

        @_spi(StoreAuthors) public func serialize(_ value: Wrapped.Value?) -> Wrapped.Serializable? {
            Wrapped.bridge.serialize(value)
        }

        @_spi(StoreAuthors) public func deserialize(_ object: Wrapped.Serializable?) -> Wrapped.Value? {
            Wrapped.bridge.deserialize(object)
        }

        @inlinable
        @_spi(StoreAuthors) public func encode(_ value: Wrapped.Value) throws(ValueEncodingError) -> PropertyListValue {
            try Wrapped.bridge.encode(value)
        }

        @inlinable
        @_spi(StoreAuthors) public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Wrapped.Value {
            try Wrapped.bridge.decode(stored, in: &context)
        }
    }
}

extension Defaults.OptionalBridge: SchemaBridge {
    static func schema(levels: Int) -> PropertyListDictionary { Wrapped.storedSchema(levels: levels) }
}

/// An optional of any wrapped type.
///
/// The name is that of the Defaults library.
public protocol _DefaultsOptionalProtocol: ExpressibleByNilLiteral {
    /// Whether this is `nil`, or wraps an optional that is.
    var _defaults_isNil: Bool { get }
}

extension Optional: _DefaultsOptionalProtocol {
    @_spi(StoreAuthors) public var _defaults_isNil: Bool {
        guard let self else { return true }
        // An optional of optionals has no other form than `nil` if one of them is.
        return (self as? any _DefaultsOptionalProtocol)?._defaults_isNil ?? false
    }
}

extension Optional: Defaults.Serializable where Wrapped: Defaults.Serializable {
    @_spi(StoreAuthors) public static var isNativelySupportedType: Bool { Wrapped.isNativelySupportedType }

    @_spi(StoreAuthors) public static var sharesDecodedValues: Bool { Wrapped.sharesDecodedValues }

    @inlinable
    public static var bridge: Defaults.OptionalBridge<Wrapped> { Defaults.OptionalBridge() }
}
