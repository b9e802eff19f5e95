import Keyspan
import KeyspanCore

/// Hides the values that a schema marks as secret.
struct SecretMask {
    /// The text in place of a hidden value.
    ///
    /// No command stores it, so that a listing which is imported again replaces no secret.
    static let placeholder = "(hidden secret)"

    /// Hides nothing.
    static let none = SecretMask(schema: nil)

    /// Hides all that could be secret: texts, data, and numbers whose names say it.
    static let unknown = SecretMask(schema: nil, isUnknown: true)

    private let schema: SecretSchema?
    let isUnknown: Bool

    /// Makes a mask; without a schema it hides nothing.
    init(schema: SecretSchema?) {
        self.init(schema: schema, isUnknown: false)
    }

    private init(schema: SecretSchema?, isUnknown: Bool) {
        (self.schema, self.isUnknown) = (schema, isUnknown)
    }

    /// Whether the whole value of a key is secret, or may be.
    func hides(_ key: String) -> Bool {
        if isUnknown { return true }
        guard let schema else { return false }
        let parts = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        // A value inside a secret one is secret.
        var scopes = schema.scopes
        if schema.isSecret(schema.scopes(ofMember: key, in: scopes)) { return true }
        for part in parts {
            scopes = schema.scopes(ofMember: part, in: scopes)
            if schema.isSecret(scopes) { return true }
        }
        return false
    }

    /// The value of a key without what is secret in it.
    func masked(_ value: PropertyListValue, ofKey key: String) -> PropertyListValue {
        if isUnknown { return key == SchemaReference.member ? value : Self.masked(unknown: value, named: key) }
        guard let schema else { return value }
        if hides(key) { return .string(Self.placeholder) }
        if LibraryEntries.contains(key) { return masked(record: value) }
        return masked(value, by: schema, Self.scopes(ofKey: key, in: schema))
    }

    /// A value without what could be secret in it.
    private static func masked(unknown value: PropertyListValue, named name: String) -> PropertyListValue {
        switch value {
        case .boolean, .date, .string(""): value
        case .integer, .real: namesSecret(name) ? .string(placeholder) : value
        case .string, .data: .string(placeholder)
        case .array(let elements): .array(elements.map { masked(unknown: $0, named: name) })
        case .dictionary(let members):
            .dictionary(
                members.reduce(into: [:]) { $0[$1.key] = masked(unknown: $1.value, named: "\(name).\($1.key)") }
            )
        }
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
        if schema == nil, !isUnknown { return entries }
        return entries.reduce(into: [:]) { $0[$1.key] = masked($1.value, ofKey: $1.key) }
    }

    /// The table without what is secret in it.
    func masked(_ table: PropertyListTable) -> PropertyListTable {
        schema == nil && !isUnknown ? table : PropertyListTable(masked(table.dictionary))
    }

    /// The value of a key that a person has named: a secret one as it is, and any other without secrets inside it.
    func shown(_ value: PropertyListValue, ofNamedKey key: String) -> PropertyListValue {
        switch value {
        case .array, .dictionary: hides(key) && !isUnknown ? value : masked(value, ofKey: key)
        default: value
        }
    }

    private func masked(
        _ value: PropertyListValue,
        by schema: SecretSchema,
        _ scopes: [SecretSchema.Scope]
    ) -> PropertyListValue {
        if scopes.isEmpty { return value }
        if schema.isSecret(scopes) { return .string(Self.placeholder) }
        switch value {
        case .dictionary(let members):
            return .dictionary(
                members.reduce(into: [:]) { masked, member in
                    let inner = schema.scopes(ofMember: member.key, in: scopes)
                    masked[member.key] = self.masked(member.value, by: schema, inner)
                }
            )
        case .array(let elements):
            let inner = schema.scopesOfElements(in: scopes)
            return .array(elements.map { masked($0, by: schema, inner) })
        default: return value
        }
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
            if elements.first?.kind == .array { return .string(Self.placeholder) }
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
        if hides(key) { return [.name(key)] }
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

    /// Throws if entries that are stored come from a listing with hidden secrets, which they would overwrite.
    static func refuseHiddenSecrets(in entries: PropertyListDictionary) throws(ToolError) {
        let keys = entries.sortedByName().filter { $0.value.hasHiddenSecret }.map(\.key.quoted)
        guard let first = keys.first else { return }
        throw .failure(
            "The secrets of \(first)\(keys.count > 1 ? " and \(keys.count - 1) more" : "") are hidden in the document or value, "
                + "as \(placeholder.quoted), and nothing was changed; make the document with `keyspan export`, or "
                + "list the domain with --show-secrets."
        )
    }
}

extension PropertyListValue {
    /// Whether a value in it is the text for a hidden one.
    var hasHiddenSecret: Bool {
        switch self {
        case .string(let text): text.hasSameUTF8(as: SecretMask.placeholder)
        case .array(let elements): elements.contains(where: \.hasHiddenSecret)
        case .dictionary(let members): members.values.contains(where: \.hasHiddenSecret)
        default: false
        }
    }
}
