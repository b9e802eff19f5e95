import Keyspan
import KeyspanCore

/// A part of a value that a schema does not allow.
///
/// Neither the reason nor the place contains the value, which may be a secret.
struct SchemaViolation: Equatable {
    /// The steps from the top to the part.
    let path: [ValuePath.Step]
    /// The reason, as a predicate without a full stop.
    let reason: String

    /// The key at the top; `nil` for the whole domain.
    var key: String? {
        if case .name(let key)? = path.first { key } else { nil }
    }

    /// The line for people and for editors.
    ///
    /// - Parameters:
    ///   - file: The path of the file.
    ///   - line: The line of the key in the file, if it is known.
    func text(inFile file: String, line: Int?) -> String {
        let place = line.map { "\(file):\($0)" } ?? file
        let name = String(ValuePath(path).description.unicodeScalars.drop { $0 == "." })
        return "\(place): \(name.isEmpty ? "the domain" : name) \(reason)."
    }
}

extension JSONSchema {
    /// The violations by a value, in the order of the names in it.
    ///
    /// - Parameters:
    ///   - value: The value in its plain JSON form.
    ///   - path: The steps to the value.
    func violations(by value: PropertyListValue, at path: [ValuePath.Step] = []) -> [SchemaViolation] {
        let violations = rules.flatMap { Self.violations(of: $0, by: value, at: path) }
        guard isSecret, !violations.isEmpty else { return violations }
        // A list of allowed values, a pattern or a name inside would disclose something of the value; its type does not.
        let isOfType = rules.allSatisfy { rule in
            if case .type(let types) = rule { types.contains { $0.contains(value) } } else { true }
        }
        let types = rules.compactMap { rule in
            if case .type(let types) = rule { types.map(\.noun).joined(separator: " or ") } else { nil as String? }
        }
        let reason =
            isOfType
            ? "is secret, and has a value that the schema does not allow"
            : "is \(JSONType.of(value).noun), but must be \(types.joined(separator: " and "))"
        return [SchemaViolation(path: path, reason: reason)]
    }

    private static func violations(
        of rule: Rule,
        by value: PropertyListValue,
        at path: [ValuePath.Step]
    ) -> [SchemaViolation] {
        func unless(_ isSatisfied: Bool, _ reason: @autoclosure () -> String) -> [SchemaViolation] {
            isSatisfied ? [] : [SchemaViolation(path: path, reason: reason())]
        }
        switch (rule, value) {
        case (.nothing, _): return unless(false, "is not in the schema")
        case (.type(let types), _):
            let expected = types.map(\.noun).joined(separator: " or ")
            return unless(
                types.contains { $0.contains(value) },
                "is \(JSONType.of(value).noun), but must be \(expected)"
            )
        case (.oneOf(let values), _):
            let expected = values.map { JSONLine.text(of: $0) }.joined(separator: ", ")
            return unless(
                values.contains { $0.isSameJSON(as: value) },
                values.count == 1 ? "must be \(expected)" : "must be one of \(expected)"
            )
        case (.minimum(let bound), .integer), (.minimum(let bound), .real):
            return unless(isOrdered(bound, value), "is below the minimum, \(JSONLine.text(of: bound))")
        case (.maximum(let bound), .integer), (.maximum(let bound), .real):
            return unless(isOrdered(value, bound), "is above the maximum, \(JSONLine.text(of: bound))")
        case (.pattern(let pattern), .string(let text)):
            return unless(pattern.matches(text), "does not match the pattern \(pattern.text)")
        case (.elements(let schema), .array(let elements)):
            return elements.enumerated().flatMap { schema.violations(by: $1, at: path + [.index($0)]) }
        case (.minimumCount(let count), .array(let elements)):
            return unless(elements.count >= count, "has \(elements.count) elements, but must have at least \(count)")
        case (.maximumCount(let count), .array(let elements)):
            return unless(elements.count <= count, "has \(elements.count) elements, but must have at most \(count)")
        case (.required(let names), .dictionary(let entries)):
            return names.flatMap { unless(entries[$0] != nil, "lacks the member \($0.debugDescription)") }
        case (.names(let schema), .dictionary(let entries)):
            let invalid = entries.sortedByName().filter { !schema.violations(by: .string($0.key)).isEmpty }
            return invalid.map {
                SchemaViolation(path: path + [.name($0.key)], reason: "has a name that is not allowed")
            }
        case (.members(let members), .dictionary(let entries)):
            return entries.sortedByName().flatMap { name, member in
                members.schemas(of: name).flatMap { $0.violations(by: member, at: path + [.name(name)]) }
            }
        case (.all(let schemas), _): return schemas.flatMap { $0.violations(by: value, at: path) }
        case (.any(let schemas), _): return violations(ofAny: schemas, by: value, at: path)
        case (.minimum, _), (.maximum, _), (.pattern, _), (.elements, _), (.minimumCount, _), (.maximumCount, _),
            (.required, _), (.names, _), (.members, _):
            // These keywords say nothing about values of other types.
            return []
        }
    }

    /// No violations if a schema allows the value; those of the only schema for values of its type, or a summary.
    private static func violations(
        ofAny schemas: [JSONSchema],
        by value: PropertyListValue,
        at path: [ValuePath.Step]
    ) -> [SchemaViolation] {
        let all = schemas.map { $0.violations(by: value, at: path) }
        if all.contains(where: \.isEmpty) { return [] }
        let inside = all.filter { violations in violations.allSatisfy { $0.path.count > path.count } }
        if inside.count == 1 { return inside[0] }
        return [SchemaViolation(path: path, reason: "has none of the \(schemas.count) forms that the schema allows")]
    }

    /// Whether two numbers are equal or ascending.
    private static func isOrdered(_ left: PropertyListValue, _ right: PropertyListValue) -> Bool {
        guard let left = JSONNumber(left), let right = JSONNumber(right) else { return false }
        return left <= right
    }
}
