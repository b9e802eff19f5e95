extension Defaults.Description {
    /// The keys as a JSON Schema (draft 2020-12) of the object that a JSON file store keeps them in.
    ///
    /// Each entry is a property with its type, its default, its summary as `description`, and what the rules say that
    /// JSON Schema can say: `minimum`, `maximum`, `enum`, `pattern`. Secrets are `writeOnly` and have no default and no
    /// `enum`. None is required, and others are allowed.
    ///
    /// What a key writes satisfies the schema, in the form that a JSON file store has for it. A rule is left out where it would
    /// say something else of the stored form than of the value: if a bridge of its own stores the value, and for a regular
    /// expression that has no equal in ECMA 262.
    ///
    /// - SeeAlso: [JSON Schema 2020-12](https://json-schema.org/draft/2020-12).
    public var schema: PropertyListValue {
        var properties: PropertyListDictionary = [:]
        for row in rows {
            properties.merge(row.schemas.mapValues { .dictionary($0) }) { $1 }
        }
        var schema: PropertyListDictionary = [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": .dictionary(properties),
        ]
        // As the only property the file would take it for an escaped dictionary.
        if properties.count == 1, let property = properties["$dictionary"] {
            schema["properties"] = nil
            schema["patternProperties"] = ["^\\$dictionary$": property]
        }
        return .dictionary(schema)
    }
}
