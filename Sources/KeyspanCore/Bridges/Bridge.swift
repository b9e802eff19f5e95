extension Defaults {
    /// A conversion between a type of yours and a type that stores can hold.
    ///
    /// ```swift
    /// struct ColorBridge: Defaults.Bridge {
    ///     func serialize(_ value: Color?) -> [String: Double]? {
    ///         value.map { ["red": $0.red, "green": $0.green, "blue": $0.blue] }
    ///     }
    ///
    ///     func deserialize(_ object: [String: Double]?) -> Color? {
    ///         guard let red = object?["red"], let green = object?["green"], let blue = object?["blue"] else { return nil }
    ///         return Color(red: red, green: green, blue: blue)
    ///     }
    /// }
    ///
    /// extension Color: Defaults.Serializable {
    ///     static let bridge = ColorBridge()
    /// }
    /// ```
    ///
    /// `Serializable` is a type that keys can have, so the compiler ensures that it leads to a property list in the end. Its
    /// own bridge stores it: a bridge can store an array of a `Codable` type. To report the reason for a failure instead of
    /// returning `nil`, also implement ``encode(_:)`` and ``decode(_:in:)``.
    public protocol Bridge<Value, Serializable> {
        /// The type to store.
        associatedtype Value

        /// The type that is stored for it.
        associatedtype Serializable: Defaults.Serializable

        /// The stored form of a value; `nil` for `nil`, and for a value without a stored form.
        func serialize(_ value: Value?) -> Serializable?

        /// The value of a stored form; `nil` for `nil`, and for an invalid form.
        func deserialize(_ object: Serializable?) -> Value?

        /// The stored form of a value.
        ///
        /// The default implementation calls ``serialize(_:)``.
        ///
        /// - Throws: ``ValueEncodingError`` with the reason if the value has no stored form.
        func encode(_ value: Value) throws(ValueEncodingError) -> PropertyListValue

        /// The value of a stored form.
        ///
        /// The default implementation calls ``deserialize(_:)``.
        ///
        /// - Throws: ``ValueDecodingError`` with the reason if the form is invalid.
        func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Value
    }
}

// The package's own bridges implement these methods as SPI: users call them through the protocol, so they need no
// documentation of their own.
extension Defaults.Bridge {
    public func encode(_ value: Value) throws(ValueEncodingError) -> PropertyListValue {
        guard let serialized = serialize(value) else {
            throw ValueEncodingError(reason: "\(Self.self) has no stored form for this value")
        }
        func encoded() throws(ValueEncodingError) -> PropertyListValue {
            guard let encoded = try Serializable.encode(serialized) else {
                throw ValueEncodingError(reason: "\(Self.self) makes nil of this value")
            }
            return encoded
        }
        // A standard type has no bridge that could lead back to this one.
        return Serializable.self is any StandardType.Type ? try encoded() : try NestedTypes.encode(Value.self, encoded)
    }

    public func decode(
        _ stored: PropertyListValue,
        in context: inout Defaults.DecodingContext
    ) throws(ValueDecodingError) -> Value {
        // The bridge gets its own form completely or not at all: a list with skipped parts could mean something else to it.
        var strict = context.strict
        let serialized = try Serializable.decode(stored, in: &strict)
        guard let value = deserialize(serialized) else {
            throw .unreadable(stored, reason: "\(Self.self) makes no \(Value.self) from it")
        }
        return value
    }
}

/// `serialize(_:)` and `deserialize(_:)` for bridges that implement `encode(_:)` and `decode(_:in:)`.
extension Defaults.Bridge where Serializable == PropertyListValue {
    /// The stored form of a value; `nil` if `encode(_:)` throws.
    package func serializeByEncoding(_ value: Value?) -> PropertyListValue? {
        guard let value else { return nil }
        do {
            return try encode(value)
        } catch {
            return nil
        }
    }

    /// The value of a stored form; `nil` if `decode(_:in:)` throws.
    package func deserializeByDecoding(_ object: PropertyListValue?) -> Value? {
        guard let object else { return nil }
        var context = Defaults.DecodingContext(isStrict: false)
        do {
            return try decode(object, in: &context)
        } catch {
            return nil
        }
    }
}
