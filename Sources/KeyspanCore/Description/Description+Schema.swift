extension Defaults.Description {
    /// The keys as a JSON Schema (draft 2020-12) of the object that a JSON file store keeps them in.
    ///
    /// Each entry is a property with its type, its default, its summary as `description`, and what the rules say that
    /// JSON Schema can say: `minimum`, `maximum`, `enum`, `pattern`. Secrets are `writeOnly` and have no default. None is
    /// required, and others are allowed. A real that is no number does not satisfy the schema of its key.
    ///
    /// - SeeAlso: [JSON Schema 2020-12](https://json-schema.org/draft/2020-12).
    public var schema: PropertyListValue {
        var properties: PropertyListDictionary = [:]
        for row in rows {
            properties.merge(row.schemas.mapValues { .dictionary($0) }) { $1 }
        }
        return [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": .dictionary(properties),
        ]
    }
}
