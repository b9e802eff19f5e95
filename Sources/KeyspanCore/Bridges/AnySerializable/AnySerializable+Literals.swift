extension Defaults.AnySerializable: ExpressibleByNilLiteral {
    /// Holds nothing.
    public init(nilLiteral: ()) {
        self.init()
    }
}

extension Defaults.AnySerializable: ExpressibleByBooleanLiteral {
    /// Holds a truth value.
    public init(booleanLiteral value: Bool) {
        self.init(value)
    }
}

extension Defaults.AnySerializable: ExpressibleByIntegerLiteral {
    /// Holds a whole number.
    public init(integerLiteral value: Int) {
        self.init(value)
    }
}

extension Defaults.AnySerializable: ExpressibleByFloatLiteral {
    /// Holds a floating-point number.
    public init(floatLiteral value: Double) {
        self.init(value)
    }
}

extension Defaults.AnySerializable: ExpressibleByStringLiteral {
    /// Holds a text.
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension Defaults.AnySerializable: ExpressibleByArrayLiteral {
    /// Holds a list of values, each of any type that keys can have.
    public init(arrayLiteral elements: any Defaults.Serializable...) {
        self.init(elements.map { Self($0) })
    }
}

extension Defaults.AnySerializable: ExpressibleByDictionaryLiteral {
    /// Holds values by name, each of any type that keys can have; of two of one name the last one.
    public init(dictionaryLiteral elements: (String, any Defaults.Serializable)...) {
        self.init(Dictionary(elements.lazy.map { ($0, Self($1)) }) { _, last in last })
    }
}
