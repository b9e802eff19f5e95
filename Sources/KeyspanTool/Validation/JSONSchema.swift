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
        case pattern(SchemaPattern)
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
    /// Whether the values are secret, so that no reason may disclose one.
    let isSecret: Bool

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

/// A regular expression of ECMA 262.
struct SchemaPattern {
    /// The expression as the schema has it.
    let text: String
    private let translation: String

    /// Makes a pattern; `nil` if it is not an expression that `Regex` can match in the same way.
    init?(_ text: String) {
        self.text = text
        translation = Self.translation(of: text)
        guard (try? Regex(translation)) != nil else { return nil }
    }

    /// Whether a part of the text matches.
    func matches(_ text: String) -> Bool {
        // `Regex` is not `Sendable`, so each check makes its own. The expression was valid in the initializer.
        guard let expression = try? Regex(translation) else { return false }
        let scalars = expression.matchingSemantics(.unicodeScalar).asciiOnlyDigits().asciiOnlyWordCharacters()
        return text.firstMatch(of: scalars) != nil
    }

    /// The expression for `Regex`, whose `$` would also match before a line feed at the end.
    private static func translation(of text: String) -> String {
        var (result, isEscaped, isInClass) = (String.UnicodeScalarView(), false, false)
        for scalar in text.unicodeScalars {
            if scalar == "$", !isEscaped, !isInClass {
                result.append(contentsOf: #"\z"#.unicodeScalars)
                continue
            }
            result.append(scalar)
            switch scalar {
            case "[" where !isEscaped: isInClass = true
            case "]" where !isEscaped: isInClass = false
            default: break
            }
            isEscaped = scalar == "\\" && !isEscaped
        }
        return String(result)
    }
}
