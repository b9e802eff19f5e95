/// A bridge that stores something else than its `Serializable` alone tells.
protocol SchemaBridge: Defaults.Bridge {
    /// The schema of what the bridge stores.
    ///
    /// - Parameter levels: How many bridges may still be asked.
    static func schema(levels: Int) -> PropertyListDictionary
}

/// A bridge that stores values as they are, though it reads others as well.
protocol ValueStoringBridge {}

extension Defaults.NativeBridge: SchemaBridge, ValueStoringBridge {
    static func schema(levels: Int) -> PropertyListDictionary {
        // The type that stores itself, and one that is not known here.
        Value.self is any SchemaTyped.Type ? Value.storedSchema(levels: levels) : [:]
    }
}

// It reads text for any type, so its schema allows everything.
extension Defaults.CoercingBridge: ValueStoringBridge {}

extension Defaults.OptionalBridge: SchemaBridge {
    static func schema(levels: Int) -> PropertyListDictionary { Wrapped.storedSchema(levels: levels) }
}

extension Defaults.RawRepresentableBridge: SchemaBridge {
    static func schema(levels: Int) -> PropertyListDictionary { Value.RawValue.storedSchema(levels: levels) }
}

extension Defaults.ArrayBridge: SchemaBridge {
    static func schema(levels: Int) -> PropertyListDictionary {
        if let bridge = Element._arrayBridge { return type(of: bridge).storedSchema(levels: levels) }
        return SchemaType.array(of: Element.storedSchema(levels: levels))
    }
}

extension Defaults.SetBridge: SchemaBridge {
    static func schema(levels: Int) -> PropertyListDictionary {
        SchemaType.array(of: Element.storedSchema(levels: levels))
    }
}

extension Defaults.CollectionBridge: SchemaBridge {
    static func schema(levels: Int) -> PropertyListDictionary {
        SchemaType.array(of: Element.storedSchema(levels: levels))
    }
}

extension Defaults.SetAlgebraBridge: SchemaBridge {
    static func schema(levels: Int) -> PropertyListDictionary {
        SchemaType.array(of: Element.storedSchema(levels: levels))
    }
}

extension Defaults.RangeBridge: SchemaBridge {
    static func schema(levels: Int) -> PropertyListDictionary {
        SchemaType.array(of: T.Bound.storedSchema(levels: levels)).merging(["minItems": 2, "maxItems": 2]) { $1 }
    }
}

extension Defaults.DictionaryBridge: SchemaBridge {
    static func schema(levels: Int) -> PropertyListDictionary {
        SchemaType.dictionary(of: textStoredElement?.textSchema ?? Element.storedSchema(levels: levels))
    }
}
