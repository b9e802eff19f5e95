import Keyspan
import KeyspanCore

/// Hides the values that a schema marks as secret, and those of which nobody knows whether it does.
struct SecretMask {
    /// Hides nothing.
    static let none = SecretMask(schema: nil)
    /// The mask of a domain without a schema, which hides no more than values from when it had one.
    static let ofNoSchema = SecretMask(schema: .empty)
    private static let unknown = SecretMask(unknownBecause: "")

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
            "The schema refers to \(SchemaReference.excerpt(of: reference).quoted), which is no part of it, so it is unknown which values are secret "
                + "there, and their texts and data are hidden; \(remedy)"
        }
    }

    /// Reports that masks hide values; each sentence once.
    static func reportHiddenValues(by masks: [SecretMask]) {
        var reported: Set<UTF8Text> = []
        for mask in masks {
            let sentence = mask.warning ?? "The values of secret keys are hidden; --show-secrets shows them."
            if reported.insert(sentence) { KeyspanCommand.report(sentence) }
        }
    }

    /// Whether the schema marks the whole value of a key, or a value around it.
    func isSecret(_ key: String) -> Bool { schema.map { $0.isSecret(Self.scopes(ofKey: key, in: $0)) } ?? false }

    /// Whether the schema marks the whole value of a key, or may do so.
    func mayBeSecret(_ key: String) -> Bool {
        guard let schema else { return false }
        let scopes = Self.scopes(ofKey: key, in: schema)
        return schema.isSecret(scopes) || schema.isUnknown(scopes)
    }

    /// The first key whose value, or a value inside of it, the schema marks; values that may be secret do not count.
    func firstSecret(in entries: PropertyListDictionary) -> String? {
        if schema == nil { return nil }
        let isKnown = warning == nil
        return entries.sortedByName().first { key, value in
            isSecret(key) || isKnown && masked(value, ofKey: key) != value
        }?.key
    }

    /// The value of a key without what is secret in it, or may be.
    func masked(_ value: PropertyListValue, ofKey key: String) -> PropertyListValue {
        guard let schema, !key.hasSameUTF8(as: SchemaReference.member) || value.kind != .string else { return value }
        let scopes = Self.scopes(ofKey: key, in: schema)
        guard LibraryEntries.contains(key), !schema.isSecret(scopes) else {
            return masked(value, by: schema, scopes, named: key)
        }
        if key.hasSameUTF8(as: KeptValues.entryName) { return masked(record: value) }
        let masked = masked(copies: value)
        return schema.isUnknown(schema.scopes) ? self.masked(masked, by: schema, schema.scopes, named: "") : masked
    }

    /// Words of names that people give to secret numbers.
    private static let secretWords: Set = [
        "accesskey", "apikey", "authcode", "code", "credential", "cvc", "cvv", "key", "otp", "pass", "passcode",
        "passphrase", "passwd", "password", "pin",
        "pincode", "pw", "pwd", "secret", "secretkey", "token",
    ]

    /// Whether a name has a word that people give to secret numbers, alone or as a plural.
    private static func namesSecret(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        let (lower, upper) = (UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"))
        var words = [""]
        for (index, byte) in bytes.enumerated() {
            guard lower.contains(byte) || upper.contains(byte) else {
                words.append("")
                continue
            }
            // A word begins in `apiKey` at its capital, and in `PINCode` at the last one.
            if upper.contains(byte), index > 0,
                lower.contains(bytes[index - 1]) || index + 1 < bytes.count && lower.contains(bytes[index + 1])
            {
                words.append("")
            }
            words[words.count - 1].unicodeScalars.append(Unicode.Scalar(byte | 0x20))
        }
        return words.contains {
            secretWords.contains($0) || $0.utf8.last == UInt8(ascii: "s") && secretWords.contains(String($0.dropLast()))
        }
    }

    private static func scopes(ofKey key: String, in schema: SecretSchema) -> [SecretSchema.Scope] {
        schema.scopes(ofMember: key, in: schema.scopes)
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
    ///
    /// A record of the library has the values of other keys, which nobody has named.
    func shown(_ value: PropertyListValue, ofNamedKey key: String) -> PropertyListValue {
        if LibraryEntries.contains(key) { return masked(value, ofKey: key) }
        return switch value {
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

    /// The record of kept values, in which each entry is masked by its name; anything in another form is hidden.
    private func masked(record value: PropertyListValue) -> PropertyListValue {
        guard case .dictionary(let lists) = value else { return .string(HiddenValue.placeholder) }
        let isOfOtherSchema = Self.isOfOtherSchema(value)
        func masked(_ value: PropertyListValue, ofKey key: String) -> PropertyListValue {
            guard var parts = value.dictionaryValue, let kept = KeptValues([key: [value]]).all.first else {
                return .string(HiddenValue.placeholder)
            }
            let shown = self.masked(kept, isOfOtherSchema: isOfOtherSchema)
            if shown != kept.entries {
                // The flat form of deeply nested entries does not show their names.
                let isFlat = parts["entries"]?.kind == .array
                parts["entries"] = isFlat ? .string(HiddenValue.placeholder) : .dictionary(shown)
            }
            for (name, part) in parts where !["absent", "date", "entries"].contains(name) && part.kind != .boolean {
                parts[name] = .string(HiddenValue.placeholder)
            }
            return .dictionary(parts)
        }
        return .dictionary(
            lists.reduce(into: [:]) { shown, list in
                if isSecret(list.key) {
                    shown[list.key] = .string(HiddenValue.placeholder)
                } else if let values = list.value.arrayValue {
                    shown[list.key] = .array(values.map { masked($0, ofKey: list.key) })
                } else {
                    shown[list.key] = masked(list.value, ofKey: list.key)
                }
            }
        )
    }

    /// Another record of the library, in which a move that is not finished has copies of entries under their names.
    private func masked(copies value: PropertyListValue) -> PropertyListValue {
        switch value {
        case .dictionary(let members):
            return .dictionary(
                members.reduce(into: [:]) { shown, member in
                    let masked = self.masked(member.value, ofKey: member.key)
                    shown[member.key] = masked == member.value ? self.masked(copies: masked) : masked
                }
            )
        case .array(let elements):
            // The flat form of deeply nested entries begins with an array, and does not show their names.
            if elements.first?.kind == .array { return .string(HiddenValue.placeholder) }
            return .array(elements.map(masked(copies:)))
        default: return value
        }
    }

    /// Whether a record has values from when the domain named another schema, of which nobody knows what it marked.
    static func isOfOtherSchema(_ record: PropertyListValue?) -> Bool {
        record?.dictionaryValue?[SchemaReference.member] != nil
    }

    /// The entries of a kept value without what is secret in them, or may be.
    ///
    /// - Parameters:
    ///   - kept: The kept value.
    ///   - isNamed: Whether a person has named the key, so that the entry of its name is shown.
    ///   - isOfOtherSchema: Whether another schema may have counted for the value.
    func masked(
        _ kept: Defaults.KeptValue,
        isNamed: Bool = false,
        isOfOtherSchema: Bool
    ) -> PropertyListDictionary {
        guard let schema else { return kept.entries }
        let scopes = Self.scopes(ofKey: kept.key, in: schema)
        return kept.entries.reduce(into: [:]) { shown, entry in
            let (name, value) = entry
            let isOwn = name.hasSameUTF8(as: kept.key)
            if isOwn, isNamed {
                let known = self.shown(value, ofNamedKey: name)
                shown[name] = isOfOtherSchema ? Self.unknown.shown(known, ofNamedKey: name) : known
                return
            }
            var masked = masked(value, ofKey: name)
            if !isOwn { masked = self.masked(masked, by: schema, scopes, named: name) }
            shown[name] = isOfOtherSchema ? Self.unknown.masked(masked, ofKey: name) : masked
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
        var scopes = Self.scopes(ofKey: key, in: schema)
        if schema.isSecret(scopes) { return [.name(key)] }
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
