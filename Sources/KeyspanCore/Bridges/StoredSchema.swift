/// JSON Schemas of stored values, in the form in which a JSON file has them.
///
/// Standard types and bridges give the schemas of their stored forms; a description of keys collects them.
enum StoredSchema {
    // Bridges that store one another's types would otherwise recurse forever.
    private static let maximumLevels = 64

    /// The schema of the values stored for a type of values, or by a type of bridges.
    ///
    /// It is empty, and allows every value, for any other type.
    static func schema(of type: Any.Type) -> PropertyListDictionary {
        if let bridge = type as? any Defaults.Bridge.Type { return bridge.storedSchema(levels: maximumLevels) }
        if let value = type as? any Defaults.Serializable.Type { return value.storedSchema(levels: maximumLevels) }
        return [:]
    }

    /// Whether values of the type are stored and read without conversion, so that rules for them hold for the stored form.
    static func isStoredAsItIs(_ type: Any.Type) -> Bool {
        (type as? any Defaults.Serializable.Type)?.isNativelySupportedType == true
    }

    /// The schema of an array of elements.
    static func array(of element: PropertyListDictionary) -> PropertyListDictionary {
        ["type": "array", "items": .dictionary(element)]
    }

    /// The schema of a dictionary, which the file escapes if it looks like a tagged value.
    static func dictionary(of element: PropertyListDictionary) -> PropertyListDictionary {
        let plain: PropertyListDictionary = ["type": "object", "additionalProperties": .dictionary(element)]
        if element.isEmpty { return plain }
        let escaped: PropertyListValue = [
            "type": "object",
            "required": ["$dictionary"],
            // As the only entry of `properties`, the name would make that object look like an escaped dictionary.
            "propertyNames": ["const": "$dictionary"],
            "additionalProperties": .dictionary(plain),
        ]
        return ["anyOf": [.dictionary(plain), escaped]]
    }

    /// The schema of a value that is stored as JSON text or as itself.
    static func text(or plain: PropertyListDictionary) -> PropertyListDictionary {
        plain["type"] == "string" ? plain : ["anyOf": [["type": "string"], .dictionary(plain)]]
    }

    /// The schema of an object with one member, which is the file's form for values that JSON cannot express.
    static func tagged(_ tag: String, _ content: PropertyListValue) -> PropertyListDictionary {
        [
            "type": "object",
            "properties": [tag: content],
            "required": [.string(tag)],
            "additionalProperties": false,
        ]
    }
}

/// A bridge whose schema does not follow from its `Serializable` alone.
protocol SchemaBridge: Defaults.Bridge {
    /// The schema of the values that the bridge stores.
    ///
    /// - Parameter levels: The number of nested bridges that may still be asked.
    static func schema(levels: Int) -> PropertyListDictionary
}

extension Defaults.Serializable {
    /// The schema of the values stored for this type.
    static func storedSchema(levels: Int) -> PropertyListDictionary {
        if let type = Self.self as? any StandardType.Type { return type.schema }
        return Bridge.storedSchema(levels: levels)
    }
}

extension Defaults.Bridge {
    /// The schema of the values that the bridge stores.
    static func storedSchema(levels: Int) -> PropertyListDictionary {
        guard levels > 0 else { return [:] }
        // Each dictionary has the schema of its elements twice, so that of a type inside itself would double with each level.
        return NestedTypes.visit(Self.self, .schema, inside: [:]) {
            if let bridge = Self.self as? any SchemaBridge.Type { return bridge.schema(levels: levels - 1) }
            return Serializable.storedSchema(levels: levels - 1)
        }
    }
}
