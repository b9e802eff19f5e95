extension Defaults {
    /// A bridge that reads and writes the store itself, in as many entries as it likes.
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
    /// All entries of a value are read from one state and written in one batch, so nobody sees a half of it. A value with
    /// a single entry of the key's own name can be an element of arrays and dictionaries as well.
    public protocol DirectBridge<Value>: Bridge, Sendable where Serializable == PropertyListValue {
        /// The type of yours.
        associatedtype Value

        /// Any stored value; a direct bridge need not name it.
        associatedtype Serializable = PropertyListValue

        /// The names of the entries that a value under a key may have; the key's own name unless implemented.
        ///
        /// Reading sees these entries only, and observers of the key hear their changes.
        func entries(of key: String) -> [String]

        /// Reads a value.
        ///
        /// - Parameters:
        ///   - key: The key's name.
        ///   - store: The bridge's entries, as they were at one instant. At least one of them is present.
        /// - Returns: The value, or `nil` if the entries make none, which is reported as an unreadable value.
        /// - Throws: ``ValueDecodingError``, for a bridge that wants to say what is wrong.
        func get(key: String, store: PropertyListTable) throws(ValueDecodingError) -> Value?

        /// Writes a value.
        ///
        /// - Parameters:
        ///   - key: The key's name.
        ///   - value: The value, or `nil` to remove all entries.
        ///   - store: Takes the writes.
        /// - Throws: ``ValueEncodingError`` if the value cannot be stored; then nothing is written.
        func save(key: String, value: Value?, store: inout PropertyListEdit) throws(ValueEncodingError)

        /// The value of a stored form that comes without its store, such as an element of an array.
        ///
        /// Asks ``get(key:store:)`` if the bridge does not implement it.
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
            // This form of the question has no place for the reason; `decode(_:in:)` gives it.
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
        // Asked again for its reason.
        if let value = try get(key: Self.loneKey, store: [Self.loneKey: stored]) { return value }
        throw .unreadable(stored, reason: "\(Self.self) makes no \(Value.self) from it")
    }

    /// The name of the entry where a value has no key.
    private static var loneKey: String { "value" }
}
