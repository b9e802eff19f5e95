import Keyspan
import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore

/// A part of a value that a schema does not allow.
///
/// Neither the reason nor the place contains the value, which may be a secret.
struct SchemaViolation: Equatable {
    /// Why the schema does not allow it.
    enum Reason: Equatable {
        /// A value of a type.
        case type(JSONType, expected: [JSONType])
        /// Anything else, as the end of a sentence.
        case clause(String)
        /// The value of a secret.
        case secret
    }

    /// The steps from the top to the part.
    let path: [ValuePath.Step]
    /// The reason.
    let reason: Reason

    /// The line for people and for editors.
    ///
    /// - Parameters:
    ///   - domain: The path of the file, or the name of a domain that has none.
    ///   - place: The place of the part in the file, if it is known.
    func text(in domain: String, at place: LineAndColumn?) -> String {
        let place = place.map { "\(domain):\($0.line):\($0.column)" } ?? domain
        return "\(place): \(name.isEmpty ? "the domain" : name) \(reason)"
    }

    /// The object for programs.
    func propertyList(in domain: String, at place: LineAndColumn?) -> PropertyListValue {
        var object: PropertyListDictionary = [
            "file": .string(domain), "path": .string(name), "reason": .string("\(reason)"),
        ]
        if let place {
            (object["line"], object["column"]) = (PropertyListValue(place.line), PropertyListValue(place.column))
        }
        return .dictionary(object)
    }

    private var name: String { String(ValuePath(path).description.unicodeScalars.drop { $0 == "." }) }
}

extension SchemaViolation.Reason: CustomStringConvertible {
    /// The reason as the end of a sentence.
    var description: String {
        switch self {
        case .type(let type, let expected):
            "is \(type.noun), but must be \(expected.map(\.noun).joined(separator: " or "))."
        case .clause(let clause): clause
        case .secret: "is secret, and has a value that the schema does not allow."
        }
    }
}

extension JSONSchema {
    /// The violations by a value.
    ///
    /// The reasons list what the schema allows, also of secrets: `SecretMask.masked(_:)` is for people.
    ///
    /// - Parameters:
    ///   - value: The value in its plain JSON form.
    ///   - path: The steps to the value.
    func violations(by value: PropertyListValue, at path: [ValuePath.Step] = []) -> [SchemaViolation] {
        rules.flatMap { Self.violations(of: $0, by: value, at: path) }
    }

    private static func violations(
        of rule: Rule,
        by value: PropertyListValue,
        at path: [ValuePath.Step]
    ) -> [SchemaViolation] {
        func unless(_ isSatisfied: Bool, _ clause: @autoclosure () -> String) -> [SchemaViolation] {
            isSatisfied ? [] : [SchemaViolation(path: path, reason: .clause(clause()))]
        }
        switch (rule, value) {
        case (.nothing, _): return unless(false, "is not in the schema.")
        case (.type(let types), _):
            if types.contains(where: { $0.contains(value) }) { return [] }
            return [SchemaViolation(path: path, reason: .type(JSONType.of(value), expected: types))]
        case (.oneOf(let values), _):
            let expected = values.map { JSONLine.text(of: $0) }.joined(separator: ", ")
            return unless(
                values.contains { $0.isSameJSON(as: value) },
                values.count == 1 ? "must be \(expected)." : "must be one of \(expected)."
            )
        case (.minimum(let bound), .integer), (.minimum(let bound), .real):
            return unless(isOrdered(bound, value), "is below the minimum, \(JSONLine.text(of: bound)).")
        case (.maximum(let bound), .integer), (.maximum(let bound), .real):
            return unless(isOrdered(value, bound), "is above the maximum, \(JSONLine.text(of: bound)).")
        case (.pattern(let form), .string(let text)):
            return unless(form.pattern.matches(text), form.complaint)
        case (.elements(let schema), .array(let elements)):
            return elements.enumerated().flatMap { schema.violations(by: $1, at: path + [.index($0)]) }
        case (.minimumCount(let count), .array(let elements)):
            return unless(elements.count >= count, "has \(elements.count) elements, but must have at least \(count).")
        case (.maximumCount(let count), .array(let elements)):
            return unless(elements.count <= count, "has \(elements.count) elements, but must have at most \(count).")
        case (.required(let names), .dictionary(let entries)):
            return names.flatMap { unless(entries[$0] != nil, "lacks the member \($0.quoted).") }
        case (.names(let schema), .dictionary(let entries)):
            let invalid = entries.sortedByName().filter { !schema.violations(by: .string($0.key)).isEmpty }
            return invalid.map {
                SchemaViolation(
                    path: path + [.name($0.key)],
                    reason: .clause("has a name that is not allowed.")
                )
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
        let expected = all.map { violations in
            violations.flatMap { violation -> [JSONType] in
                if violation.path == path, case .type(_, let expected) = violation.reason { expected } else { [] }
            }
        }
        let ofType = all.indices.filter { expected[$0].isEmpty }.map { all[$0] }
        if ofType.isEmpty {
            let types = JSONType.allCases.filter { type in expected.contains { $0.contains(type) } }
            return [SchemaViolation(path: path, reason: .type(JSONType.of(value), expected: types))]
        }
        if ofType.count == 1 { return ofType[0] }
        let inside = ofType.filter { violations in violations.allSatisfy { $0.path.count > path.count } }
        if inside.count == 1 { return inside[0] }
        return [
            SchemaViolation(
                path: path,
                reason: .clause("has none of the \(schemas.count) forms that the schema allows.")
            )
        ]
    }

    /// Whether two numbers are equal or ascending.
    private static func isOrdered(_ left: PropertyListValue, _ right: PropertyListValue) -> Bool {
        guard let left = JSONNumber(left), let right = JSONNumber(right) else { return false }
        return left <= right
    }
}
