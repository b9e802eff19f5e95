import Keyspan
import KeyspanCore

/// A JSON Schema with the keywords that `describe().jsonSchema` writes.
///
/// - SeeAlso: [JSON Schema 2020-12](https://json-schema.org/draft/2020-12).
struct JSONSchema {
    /// One keyword with its value.
    indirect enum Rule {
        /// `false` in place of a schema: nothing is valid.
        case nothing
        case type([JSONType])
        case oneOf([PropertyListValue])
        case minimum(PropertyListValue)
        case maximum(PropertyListValue)
        case pattern(SchemaForm)
        case elements(JSONSchema)
        case minimumCount(Int)
        case maximumCount(Int)
        case required([String])
        case names(JSONSchema)
        /// `properties`, `patternProperties` and `additionalProperties`, which depend on one another.
        case members(SchemaMembers)
        case all([JSONSchema])
        case any([JSONSchema])
    }

    /// The rules, all of which a valid value satisfies.
    let rules: [Rule]

    /// The names in `properties`, also of the schemas that apply to the same value.
    var propertyNames: [String] {
        rules.flatMap { rule -> [String] in
            switch rule {
            case .members(let members): members.named.keys.map(\.self)
            case .all(let schemas), .any(let schemas): schemas.flatMap(\.propertyNames)
            default: []
            }
        }
    }
}

/// The types of JSON, as `type` names them.
enum JSONType: String, CaseIterable {
    case boolean, integer, number, string, array, object

    /// The name with its article.
    var noun: String { self == .boolean || self == .number || self == .string ? "a \(rawValue)" : "an \(rawValue)" }

    /// Whether a value has the type.
    func contains(_ value: PropertyListValue) -> Bool {
        switch (self, value) {
        case (.boolean, .boolean), (.string, .string), (.array, .array), (.object, .dictionary): true
        case (.integer, .integer), (.number, .integer), (.number, .real): true
        // JSON Schema counts 1.0 as an integer.
        case (.integer, .real(let real)): real.rounded() == real
        default: false
        }
    }

    /// The narrowest type of a value.
    static func of(_ value: PropertyListValue) -> JSONType {
        allCases.first { $0.contains(value) } ?? .object
    }
}

/// The schemas of the members of an object.
struct SchemaMembers {
    /// The schemas of names.
    var named: TextDictionary<JSONSchema> = [:]
    /// The schemas of the names that match patterns.
    var matching: [(pattern: SchemaPattern, schema: JSONSchema)] = []
    /// The schema of all other members.
    var additional: JSONSchema?

    /// The schemas that a member must satisfy.
    func schemas(of name: String) -> [JSONSchema] {
        var found = matching.filter { $0.pattern.matches(name) }.map(\.schema)
        if let schema = named[name] { found.append(schema) }
        return found.isEmpty ? [additional].compactMap(\.self) : found
    }
}
