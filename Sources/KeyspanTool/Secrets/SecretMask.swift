import Keyspan
import KeyspanCore

/// Hides the values that a schema marks as secret, and those of which nobody knows whether it does.
struct SecretMask {
    /// Hides nothing.
    static let none = SecretMask(schema: nil)

    private let schema: SecretSchema?
    /// Why it is unknown which values are secret.
    private let reason: String?

    /// Makes a mask; without a schema it hides nothing.
    init(schema: SecretSchema?) {
        (self.schema, reason) = (schema, nil)
    }

    /// Makes a mask that hides all that could be secret: texts, data, and numbers whose names say it.
    ///
    /// - Parameter reason: Why it is unknown which values are secret, as the beginning of a sentence.
    init(unknownBecause reason: String) {
        (schema, self.reason) = (.unknown, reason)
    }

    /// Whether nothing is known of the schema.
    var isUnknown: Bool { reason != nil }

    /// The sentence about values that may be secret; `nil` if the schema is known completely.
    var warning: String? {
        let remedy = "name a schema with --schema, or show everything with --show-secrets."
        if let reason {
            return "\(reason), so it is unknown which values are secret, and all texts and data are hidden; \(remedy)"
        }
        return schema?.unfollowedReference.map { reference in
            "The schema refers to \(reference.quoted), which is no part of it, so it is unknown which values are secret "
                + "there, and their texts and data are hidden; \(remedy)"
        }
    }

    /// Reports that masks hide values; each sentence once.
    static func reportHiddenValues(by masks: [SecretMask]) throws(ToolError) {
        var reported: Set<UTF8Text> = []
        for mask in masks {
            let sentence = mask.warning ?? "The values of secret keys are hidden; --show-secrets shows them."
            if reported.insert(sentence) { try KeyspanCommand.report(sentence) }
        }
    }

    /// Whether the schema marks the whole value of a key.
    func isSecret(_ key: String) -> Bool { leads(to: key) { $0.isSecret($1) } }

    /// Whether the schema marks the whole value of a key, or may do so.
    func mayBeSecret(_ key: String) -> Bool { leads(to: key) { $0.isSecret($1) || $0.isUnknown($1) } }

    /// The first key whose value, or a value inside of it, the schema marks; values that may be secret do not count.
    func firstSecret(in entries: PropertyListDictionary) -> String? {
        if schema == nil { return nil }
        let isKnown = warning == nil
        return entries.sortedByName().first { key, value in
            isSecret(key) || isKnown && masked(value, ofKey: key) != value
        }?.key
    }

    /// Whether the schemas of a key, or of a value around it, fulfill a condition.
    private func leads(to key: String, _ isFulfilled: (SecretSchema, [SecretSchema.Scope]) -> Bool) -> Bool {
        guard let schema else { return false }
        var scopes = schema.scopes
        if isFulfilled(schema, scopes) || isFulfilled(schema, schema.scopes(ofMember: key, in: scopes)) { return true }
        return key.split(separator: ".", omittingEmptySubsequences: false).contains { part in
            scopes = schema.scopes(ofMember: String(part), in: scopes)
            return isFulfilled(schema, scopes)
        }
    }

    /// The value of a key without what is secret in it, or may be.
    func masked(_ value: PropertyListValue, ofKey key: String) -> PropertyListValue {
        guard let schema, !key.hasSameUTF8(as: SchemaReference.member) else { return value }
        if isSecret(key) { return .string(HiddenValue.placeholder) }
        guard LibraryEntries.contains(key) else {
            return masked(value, by: schema, Self.scopes(ofKey: key, in: schema), named: key)
        }
        let masked = masked(record: value)
        return schema.isUnknown(schema.scopes) ? self.masked(masked, by: schema, schema.scopes, named: "") : masked
    }

    /// Whether a name is one that people give to secret numbers.
    private static func namesSecret(_ name: String) -> Bool {
        let name = name.lowercased().utf8
        return ["code", "credential", "key", "otp", "pass", "pin", "secret", "token"].contains {
            name.contains($0.utf8)
        }
    }

    private static func scopes(ofKey key: String, in schema: SecretSchema) -> [SecretSchema.Scope] {
        let scopes = schema.scopes(ofMember: key, in: schema.scopes)
        if NestedName(key) == nil { return scopes }
        let parts = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        return scopes + parts.reduce(schema.scopes) { schema.scopes(ofMember: $1, in: $0) }
    }

    /// The entries without what is secret in them.
    func masked(_ entries: PropertyListDictionary) -> PropertyListDictionary {
        if schema == nil { return entries }
        return entries.reduce(into: [:]) { $0[$1.key] = masked($1.value, ofKey: $1.key) }
    }

    /// The table without what is secret in it.
    func masked(_ table: PropertyListTable) -> PropertyListTable {
        schema == nil ? table : PropertyListTable(masked(table.dictionary))
    }

    /// The value of a key that a person has named: a secret one as it is, and any other without secrets inside it.
    func shown(_ value: PropertyListValue, ofNamedKey key: String) -> PropertyListValue {
        switch value {
        case .array, .dictionary: isSecret(key) ? value : masked(value, ofKey: key)
        default: value
        }
    }

    private func masked(
        _ value: PropertyListValue,
        by schema: SecretSchema,
        _ scopes: [SecretSchema.Scope],
        named name: String
    ) -> PropertyListValue {
        if scopes.isEmpty { return value }
        if schema.isSecret(scopes) { return .string(HiddenValue.placeholder) }
        let mayBeSecret: Bool
        switch value {
        case .dictionary(let members):
            return .dictionary(
                members.reduce(into: [:]) { masked, member in
                    let inner = schema.scopes(ofMember: member.key, in: scopes)
                    masked[member.key] = self.masked(member.value, by: schema, inner, named: "\(name).\(member.key)")
                }
            )
        case .array(let elements):
            let inner = schema.scopesOfElements(in: scopes)
            return .array(elements.map { masked($0, by: schema, inner, named: name) })
        case .boolean, .date, .string(""): mayBeSecret = false
        case .integer, .real: mayBeSecret = Self.namesSecret(name)
        case .string, .data: mayBeSecret = true
        }
        return mayBeSecret && schema.isUnknown(scopes) ? .string(HiddenValue.placeholder) : value
    }

    /// A record of the library, which has former values of entries under their names.
    private func masked(record value: PropertyListValue) -> PropertyListValue {
        switch value {
        case .dictionary(let members):
            return .dictionary(
                members.reduce(into: [:]) { masked, member in
                    let value = self.masked(member.value, ofKey: member.key)
                    masked[member.key] = value == member.value ? self.masked(record: value) : value
                }
            )
        case .array(let elements):
            // The flat form of deeply nested entries begins with an array, and does not show where its secrets are.
            if elements.first?.kind == .array { return .string(HiddenValue.placeholder) }
            return .array(elements.map(masked(record:)))
        default: return value
        }
    }
}

extension SecretMask {
    /// The violations of a schema, without what it allows for secret values, and without the names in these.
    ///
    /// The type of a secret value discloses nothing that matters, and often shows the mistake.
    func masked(_ violations: [SchemaViolation]) -> [SchemaViolation] {
        var masked: [SchemaViolation] = []
        for violation in violations {
            guard let secret = secretPart(of: violation.path) else {
                masked.append(violation)
                continue
            }
            var reason = SchemaViolation.Reason.secret
            if case .type = violation.reason, secret == violation.path { reason = violation.reason }
            let others = masked.indices.filter { masked[$0].path == secret }
            if others.isEmpty {
                masked.append(SchemaViolation(path: secret, reason: reason))
            } else if reason != .secret {
                for index in others { masked[index] = SchemaViolation(path: secret, reason: reason) }
            }
        }
        return masked
    }

    /// The outermost secret value on a path; `nil` if there is none.
    private func secretPart(of path: [ValuePath.Step]) -> [ValuePath.Step]? {
        guard let schema, case .name(let key)? = path.first else { return nil }
        if isSecret(key) { return [.name(key)] }
        var scopes = Self.scopes(ofKey: key, in: schema)
        for (number, step) in path.enumerated().dropFirst() {
            switch step {
            case .name(let name): scopes = schema.scopes(ofMember: name, in: scopes)
            case .index: scopes = schema.scopesOfElements(in: scopes)
            }
            if schema.isSecret(scopes) { return Array(path[...number]) }
        }
        return nil
    }
}
