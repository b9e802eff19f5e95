extension Defaults {
    /// A value of any type that keys can have, for settings whose type is not known in advance: `[String: Any]` for a store.
    ///
    /// ```swift
    /// extension Defaults.Keys {
    ///     static let extras = Key<[String: Defaults.AnySerializable]>("extras", default: [:])
    /// }
    ///
    /// Defaults[.extras]["retries"] = 3
    /// Defaults[.extras]["hosts"] = ["eu-1", "eu-2"]
    /// print(Defaults[.extras]["retries"]?.get(Int.self) ?? 0)  // prints: 3
    /// ```
    ///
    /// It holds the stored form of the value, so each ``get(_:)`` decodes it, and two instances are equal if their stored
    /// forms are: `1` and `1.0` differ, `Int8(1)` and `1` do not. It can also be empty: as the value of a key, `nil` removes
    /// the key.
    ///
    /// Writing a value without a stored form to a store fails with the reason.
    public struct AnySerializable: Serializable, Sendable, Hashable {
        private enum Content: Sendable, Hashable {
            case none
            case stored(PropertyListValue)
            case failed(ValueEncodingError)
        }

        private var content: Content

        /// The bridge.
        public static var bridge: AnyBridge { AnyBridge() }

        /// Holds the stored form of a value; empty for `nil`.
        public init<Value: Serializable>(_ value: Value) {
            content = Self.content(for: value)
        }

        init() {
            content = .none
        }

        /// The value as another type; `nil` if there is none, or if any part of it cannot be read as that type.
        ///
        /// ``value(as:)`` gives the reason.
        public func get<Value: Serializable>(_ type: Value.Type = Value.self) -> Value? {
            do {
                return try value(as: type)
            } catch {
                // `value(as:)` gives the reason.
                return nil
            }
        }

        /// The value as another type; `nil` if there is none.
        ///
        /// - Throws: ``ValueDecodingError`` if the value or a part of it cannot be read as that type.
        public func value<Value: Serializable>(
            as type: Value.Type = Value.self
        ) throws(ValueDecodingError) -> Value? {
            guard case .stored(let stored) = content else { return nil }
            var context = DecodingContext(isStrict: true)
            return try Value.decode(stored, in: &context)
        }

        /// Replaces the value; `nil` empties it.
        public mutating func set<Value: Serializable>(_ newValue: Value) {
            content = Self.content(for: newValue)
        }

        /// Replaces the value, where its type cannot be inferred.
        public mutating func set<Value: Serializable>(_ newValue: Value, type: Value.Type) {
            set(newValue)
        }

        /// The stored form; `nil` if this is empty, or if the value has no stored form.
        package var propertyListValue: PropertyListValue? {
            if case .stored(let stored) = content { stored } else { nil }
        }

        /// The stored form; `nil` if this is empty.
        ///
        /// - Throws: ``ValueEncodingError`` if the value has no stored form.
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

extension Defaults.AnySerializable: _DefaultsOptionalProtocol {
    /// Whether this is empty.
    public var _defaults_isNil: Bool { content == .none }
}

extension Defaults.AnySerializable: CustomStringConvertible {
    /// The value on one line, like the description of a ``PropertyListValue``.
    public var description: String {
        switch content {
        case .none: "nil"
        case .stored(let stored): stored.description
        case .failed(let error): "no stored form: \(error)"
        }
    }
}

extension Defaults.AnySerializable: ExpressibleByNilLiteral {
    /// Makes an empty value.
    @_spi(StoreAuthors) public init(nilLiteral: ()) {
        self.init()
    }
}

extension Defaults.AnySerializable: ExpressibleByBooleanLiteral {
    /// Holds a truth value.
    @_spi(StoreAuthors) public init(booleanLiteral value: Bool) {
        self.init(value)
    }
}

extension Defaults.AnySerializable: ExpressibleByIntegerLiteral {
    /// Holds a whole number.
    @_spi(StoreAuthors) public init(integerLiteral value: Int) {
        self.init(value)
    }
}

extension Defaults.AnySerializable: ExpressibleByFloatLiteral {
    /// Holds a floating-point number.
    @_spi(StoreAuthors) public init(floatLiteral value: Double) {
        self.init(value)
    }
}

extension Defaults.AnySerializable: ExpressibleByStringLiteral {
    /// Holds a text.
    @_spi(StoreAuthors) public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension Defaults.AnySerializable: ExpressibleByArrayLiteral {
    /// Holds a list of values, each of any type that keys can have.
    @_spi(StoreAuthors) public init(arrayLiteral elements: any Defaults.Serializable...) {
        self.init(elements.map { Self($0) })
    }
}

extension Defaults.AnySerializable: ExpressibleByDictionaryLiteral {
    /// Holds values by name, each of any type that keys can have.
    ///
    /// For a repeated name, the last value wins.
    @_spi(StoreAuthors) public init(dictionaryLiteral elements: (String, any Defaults.Serializable)...) {
        self.init(Dictionary(elements.lazy.map { ($0, Self($1)) }) { _, last in last })
    }
}

extension Defaults {
    /// Stores the value of an ``AnySerializable`` without conversion.
    public struct AnyBridge: Bridge, Sendable {
        package init() {}

        @_spi(StoreAuthors) public func serialize(_ value: AnySerializable?) -> PropertyListValue? {
            value?.propertyListValue
        }

        @_spi(StoreAuthors) public func deserialize(_ object: PropertyListValue?) -> AnySerializable? {
            object.map { AnySerializable($0) }
        }

        @_spi(StoreAuthors) public func encode(_ value: AnySerializable) throws(ValueEncodingError) -> PropertyListValue
        {
            guard let stored = try value.storedValue() else {
                throw ValueEncodingError(reason: "nil has no stored form")
            }
            return stored
        }

        @_spi(StoreAuthors) public func decode(_ stored: PropertyListValue, in context: inout DecodingContext)
            -> AnySerializable
        {
            AnySerializable(stored)
        }
    }
}
