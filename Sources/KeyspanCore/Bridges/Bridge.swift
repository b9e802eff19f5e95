extension Defaults {
    /// The way between a type of yours and what a store can hold.
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
    /// `Serializable` is a type that keys can have, so it leads to a property list in the end, or the bridge does not
    /// compile. If it is none by itself, its own bridge stores it: a bridge can store an array of a `Codable` type. A bridge
    /// that wants to say what is wrong with a value, instead of answering `nil`, implements ``encode(_:)`` and
    /// ``decode(_:in:)`` as well.
    public protocol Bridge<Value, Serializable> {
        /// The type of yours.
        associatedtype Value

        /// What is stored for it.
        associatedtype Serializable: Defaults.Serializable

        /// The stored form of a value; `nil` for `nil`, and for a value that has none.
        func serialize(_ value: Value?) -> Serializable?

        /// The value of a stored form; `nil` for `nil`, and for a form that makes no value.
        func deserialize(_ object: Serializable?) -> Value?

        /// The stored form of a value, or the reason why it has none.
        ///
        /// Asks ``serialize(_:)`` if the bridge does not implement it.
        func encode(_ value: Value) throws(ValueEncodingError) -> PropertyListValue

        /// The value of a stored form, or the reason why it makes none.
        ///
        /// Asks ``deserialize(_:)`` if the bridge does not implement it.
        func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Value
    }
}

extension Defaults.Bridge {
    public func encode(_ value: Value) throws(ValueEncodingError) -> PropertyListValue {
        guard let serialized = serialize(value) else {
            throw ValueEncodingError(reason: "\(Self.self) has no stored form for this value")
        }
        guard let encoded = try Serializable.encode(serialized) else {
            throw ValueEncodingError(reason: "\(Self.self) makes nil of this value")
        }
        return encoded
    }

    public func decode(
        _ stored: PropertyListValue,
        in context: inout Defaults.DecodingContext
    ) throws(ValueDecodingError) -> Value {
        // The bridge gets what it made or nothing: a list with parts left out could mean something else to it.
        var strict = context.strict
        let serialized = try Serializable.decode(stored, in: &strict)
        guard let value = deserialize(serialized) else {
            throw .unreadable(stored, reason: "\(Self.self) makes no \(Value.self) from it")
        }
        return value
    }
}
