extension Defaults {
    /// A bridge that reads and writes the store directly, in any number of entries.
    ///
    /// ```swift
    /// struct Window: Defaults.Serializable {
    ///     var width: Double
    ///     var height: Double
    ///
    ///     static let bridge = WindowBridge()
    /// }
    ///
    /// struct WindowBridge: Defaults.DirectBridge {
    ///     func entries(of key: String) -> [String] { [key + ".width", key + ".height"] }
    ///
    ///     func get(key: String, store: PropertyListTable) -> Window? {
    ///         guard
    ///             case .real(let width)? = store[key + ".width"],
    ///             case .real(let height)? = store[key + ".height"]
    ///         else { return nil }
    ///         return Window(width: width, height: height)
    ///     }
    ///
    ///     func save(key: String, value: Window?, store: inout PropertyListEdit) {
    ///         store[key + ".width"] = value.map { .real($0.width) }
    ///         store[key + ".height"] = value.map { .real($0.height) }
    ///     }
    /// }
    /// ```
    ///
    /// All entries of a value are read from one state and written in one batch, so no reader sees half a value. A value with
    /// a single entry of the key's own name can also be an element of arrays and dictionaries.
    public protocol DirectBridge<Value>: Bridge, Sendable where Serializable == PropertyListValue {
        /// The type to store.
        associatedtype Value

        /// Any stored value; a direct bridge does not declare it.
        associatedtype Serializable = PropertyListValue

        /// The names of the entries that a value under a key may have. The default is the key's own name.
        ///
        /// Reading sees only these entries, and observers of the key are notified of their changes.
        func entries(of key: String) -> [String]

        /// Reads a value.
        ///
        /// - Parameters:
        ///   - key: The key's name.
        ///   - store: The bridge's entries at one point in time. At least one of them is present.
        /// - Returns: The value; `nil` if the entries are invalid, which is reported as an unreadable value.
        /// - Throws: ``ValueDecodingError`` to report the reason.
        func get(key: String, store: PropertyListTable) throws(ValueDecodingError) -> Value?

        /// Writes a value.
        ///
        /// - Parameters:
        ///   - key: The key's name.
        ///   - value: The value, or `nil` to remove all entries.
        ///   - store: The edit that receives the writes.
        /// - Throws: ``ValueEncodingError`` if the value cannot be stored. Nothing is written then.
        func save(key: String, value: Value?, store: inout PropertyListEdit) throws(ValueEncodingError)

        /// The value of a stored form without a store, such as an element of an array.
        ///
        /// The default implementation calls ``get(key:store:)``.
        func deserialize(_ object: PropertyListValue?) -> Value?
    }
}

extension Defaults.DirectBridge {
    public func entries(of key: String) -> [String] { [key] }

    public func serialize(_ value: Value?) -> PropertyListValue? { serializeByEncoding(value) }

    public func deserialize(_ object: PropertyListValue?) -> Value? {
        guard let object else { return nil }
        do {
            return try get(key: Self.loneKey, store: [Self.loneKey: object])
        } catch {
            // `decode(_:in:)` gives the reason.
            return nil
        }
    }

    public func encode(_ value: Value) throws(ValueEncodingError) -> PropertyListValue {
        guard entries(of: Self.loneKey) == [Self.loneKey] else {
            throw ValueEncodingError(
                reason: "\(Self.self) stores several entries, which cannot be a part of a collection"
            )
        }
        var edit = PropertyListEdit([:])
        try save(key: Self.loneKey, value: value, store: &edit)
        guard let stored = edit[Self.loneKey] else {
            throw ValueEncodingError(reason: "\(Self.self) has no stored form for this value")
        }
        return stored
    }

    public func decode(
        _ stored: PropertyListValue,
        in context: inout Defaults.DecodingContext
    ) throws(ValueDecodingError) -> Value {
        if let value = deserialize(stored) { return value }
        // A second call gets the reason.
        if let value = try get(key: Self.loneKey, store: [Self.loneKey: stored]) { return value }
        throw .unreadable(stored, reason: "\(Self.self) makes no \(Value.self) from it")
    }

    /// The name of the entry for a value without a key.
    private static var loneKey: String { "value" }
}
