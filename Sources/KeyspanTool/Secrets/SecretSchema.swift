import Keyspan
import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore

/// The parts of a JSON Schema that say which values are secret: those with `"writeOnly": true`, as `describe().jsonSchema` marks them.
///
/// Unlike ``JSONSchema`` it reads any schema, because a keyword that it does not know marks nothing as secret.
struct SecretSchema {
    /// A schema for a value, or for the values whose names begin with a prefix.
    ///
    /// A program's schema has `tls.password` in one piece, and its file may nest it.
    struct Scope {
        fileprivate let schema: PropertyListDictionary
        fileprivate var prefix = ""
    }

    private let document: PropertyListValue

    /// Reads the text of a schema; `nil` for a text that is not a JSON object.
    init?(_ bytes: [UInt8]) {
        guard let table = try? JSONText.parseTable(bytes) else { return nil }
        document = PlainJSON.object(of: table)
    }

    /// The schemas of a domain.
    var scopes: [Scope] { expanded(document) }

    /// Whether a value is secret.
    func isSecret(_ scopes: [Scope]) -> Bool {
        scopes.contains { $0.prefix.isEmpty && $0.schema["writeOnly"] == true }
    }

    /// The schemas of a member.
    func scopes(ofMember name: String, in scopes: [Scope]) -> [Scope] {
        let found = scopes.flatMap { self.scopes(ofMember: name, in: $0) }
        // A schema may nest what the file has in one piece.
        let dots = name.utf8.indices.filter { name.utf8[$0] == UInt8(ascii: ".") }
        return dots.reduce(into: found) { found, dot in
            let outer = scopes.flatMap { self.scopes(ofProperty: String(name[..<dot]), in: $0) }
            guard !outer.isEmpty else { return }
            found += self.scopes(ofMember: String(name[name.utf8.index(after: dot)...]), in: outer)
        }
    }

    /// The schemas of the elements of an array.
    func scopesOfElements(in scopes: [Scope]) -> [Scope] {
        scopes.filter(\.prefix.isEmpty).flatMap { scope in
            expanded(scope.schema["items"]) + (scope.schema["prefixItems"]?.arrayValue ?? []).flatMap { expanded($0) }
        }
    }

    private func scopes(ofMember name: String, in scope: Scope) -> [Scope] {
        let path = scope.prefix + name
        var found = scopes(ofProperty: name, in: scope)
        for (pattern, schema) in scope.schema["patternProperties"]?.dictionaryValue ?? [:]
        where SchemaPattern(pattern)?.matches(path) == true {
            found += expanded(schema)
        }
        if found.isEmpty, scope.prefix.isEmpty { found = expanded(scope.schema["additionalProperties"]) }
        let names = (scope.schema["properties"]?.dictionaryValue ?? [:]).keys
        if names.contains(where: { $0.hasUTF8Prefix(path + ".") }) {
            found.append(Scope(schema: scope.schema, prefix: path + "."))
        }
        return found
    }

    private func scopes(ofProperty name: String, in scope: Scope) -> [Scope] {
        expanded(scope.schema["properties"]?.dictionaryValue?[scope.prefix + name])
    }

    /// The number of schemas inside one another for the same value; a schema may refer to itself.
    private static let mostLevels = 16

    /// A schema and those that apply to the same value.
    private func expanded(_ value: PropertyListValue?, levels: Int = mostLevels) -> [Scope] {
        guard levels > 0, let schema = value?.dictionaryValue else { return [] }
        let lists = ["allOf", "anyOf", "oneOf"].flatMap { schema[$0]?.arrayValue ?? [] }
        let others =
            ["if", "then", "else"].compactMap { schema[$0] }
            + [schema["$ref"]?.stringValue.flatMap(target)]
            .compactMap(\.self)
        return [Scope(schema: schema)] + (lists + others).flatMap { expanded($0, levels: levels - 1) }
    }

    /// The schema that a reference within the document leads to.
    private func target(of reference: String) -> PropertyListValue? {
        guard reference.utf8.first == UInt8(ascii: "#") else { return nil }
        let steps = reference.utf8.dropFirst().split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        return steps.reduce(document as PropertyListValue?) { value, step in
            value?.dictionaryValue?[step.replacing("~1", with: "/").replacing("~0", with: "~")]
        }
    }
}
