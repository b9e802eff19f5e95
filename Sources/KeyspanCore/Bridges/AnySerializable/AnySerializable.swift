extension Defaults {
    /// A value of any type that keys can have, for settings whose type is not known before: `[String: Any]` for a store.
    ///
    /// ```swift
    /// extension Defaults.Keys {
    ///     static let extras = Key<[String: Defaults.AnySerializable]>("extras", default: [:])
    /// }
    ///
    /// Defaults[.extras]["retries"] = 3
    /// Defaults[.extras]["hosts"] = ["eu-1", "eu-2"]
    /// let retries = Defaults[.extras]["retries"]?.get(Int.self)  // 3
    /// ```
    ///
    /// It holds the stored form of the value, not the value, so each ``get(_:)`` decodes it, and two of them are equal if
    /// they would be stored alike: `1` and `1.0` differ, `Int8(1)` and `1` do not. It can also hold nothing: `nil` as the
    /// value of a key removes the key.
    ///
    /// A value that has no stored form is not lost in silence: writing it to a store fails with the reason.
    public struct AnySerializable: Serializable, Sendable, Hashable {
        private enum Content: Sendable, Hashable {
            case none
            case stored(PropertyListValue)
            case failed(ValueEncodingError)
        }

        private var content: Content

        /// The bridge.
        public static var bridge: AnyBridge { AnyBridge() }

        /// Holds a value in its stored form; nothing for `nil`.
        public init<Value: Serializable>(_ value: Value) {
            content = Self.content(for: value)
        }

        init() {
            content = .none
        }

        /// The value, if it can be read as that type whole; `nil` if it cannot, or there is none.
        ///
        /// ``value(as:)`` says why.
        public func get<Value: Serializable>(_ type: Value.Type = Value.self) -> Value? {
            do {
                return try value(as: type)
            } catch {
                // This form of the question has no place for the reason; `value(as:)` gives it.
                return nil
            }
        }

        /// The value read as that type, or `nil` if there is none.
        ///
        /// - Throws: ``ValueDecodingError`` if the value or a part of it cannot be read as that type.
        public func value<Value: Serializable>(
            as type: Value.Type = Value.self
        ) throws(ValueDecodingError) -> Value? {
            guard case .stored(let stored) = content else { return nil }
            var context = DecodingContext(isStrict: true)
            return try Value.decode(stored, in: &context)
        }

        /// Holds another value from now on; nothing for `nil`.
        public mutating func set<Value: Serializable>(_ newValue: Value) {
            content = Self.content(for: newValue)
        }

        /// Holds another value from now on, where its type has to be named.
        public mutating func set<Value: Serializable>(_ newValue: Value, type: Value.Type) {
            set(newValue)
        }

        /// What is held, or `nil` if that is nothing or has no stored form.
        public var propertyListValue: PropertyListValue? {
            if case .stored(let stored) = content { stored } else { nil }
        }

        /// What is held, or `nil` if that is nothing.
        ///
        /// - Throws: ``ValueEncodingError`` if what was to be held has no stored form.
        func storedValue() throws(ValueEncodingError) -> PropertyListValue? {
            switch content {
            case .none: nil
            case .stored(let stored): stored
            case .failed(let error): throw error
            }
        }

        private static func content<Value: Serializable>(for value: Value) -> Content {
            do {
                return try Value.encode(value).map(Content.stored) ?? .none
            } catch {
                return .failed(error)
            }
        }
    }
}

extension Defaults.AnySerializable: Defaults._DefaultsOptionalProtocol {
    /// Whether nothing is held.
    public var _defaults_isNil: Bool { content == .none }
}

extension Defaults.AnySerializable: CustomStringConvertible {
    /// The value on one line, as a ``PropertyListValue`` shows itself.
    public var description: String {
        switch content {
        case .none: "nil"
        case .stored(let stored): stored.description
        case .failed(let error): "no stored form: \(error)"
        }
    }
}
