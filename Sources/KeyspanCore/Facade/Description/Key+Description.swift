/// A key that can be described without knowing the type of its value.
protocol DescribableKey {
    /// Describes the key and its value in a state of a store.
    ///
    /// - Parameters:
    ///   - table: The state.
    ///   - store: The store.
    ///   - provenance: The sources of the entries' values.
    ///   - secrets: The places of secret values in the state.
    func row(
        in table: PropertyListTable,
        of store: any PropertyListStore,
        from provenance: TextDictionary<Provenance>,
        hiding secrets: SecretPlaces
    ) -> Defaults.SettingsDescription.Row
}

extension Defaults.TypedKey: DescribableKey {
    func row(
        in table: PropertyListTable,
        of store: any PropertyListStore,
        from provenance: TextDictionary<Provenance>,
        hiding secrets: SecretPlaces
    ) -> Defaults.SettingsDescription.Row {
        let isHidden = isSecret || entryNames.contains(where: secrets.hidePart)
        let stored = coding.stored(under: name, in: table)
        let defaultEntries = defaultEntries
        let defaultContent = content(ofDefault: defaultEntries)
        let defaultText = isSecret ? nil : constantDefault.flatMap(writtenText(of:))
        return Defaults.SettingsDescription.Row(
            name: name,
            type: TypeName.of(Value.self),
            defaultValue: defaultContent,
            value: stored.map { content(of: $0, in: store, hidden: isHidden) } ?? defaultContent,
            provenance: Provenance(joining: entryNames.compactMap { provenance[$0] }),
            requirements: rules.map(requirement(of:)),
            summary: summary,
            isSecret: isSecret,
            words: words(default: defaultContent, text: defaultText),
            defaultText: defaultText,
            isFlag: TypeName.unwrapped(Value.self) is Bool.Type,
            schemas: schemas(defaults: defaultEntries)
        )
    }

    /// The possible values of an enumeration, or else the kind of values.
    private func words(default content: Defaults.SettingsDescription.Content, text: String?) -> String {
        if let cases {
            let texts = cases.compactMap(writtenText(of:))
            if texts.count == cases.count { return CaseNames.clause(texts) }
        }
        // An example that the rules allow would disclose a value of a secret.
        let words = words { isSecret ? value(ofTyped: .string($0)) != nil : isValue($0) }
        // The type of a structure does not tell its members, but a value does.
        if !words.isKnown, text != nil, case .value(.dictionary(let members)) = content, !members.isEmpty {
            return
                "a structure with the members \(members.sortedByName().map(\.key).joined(separator: ", ")), as JSON text"
        }
        return words.one
    }

    /// The entries of the default; `nil` if it is computed for each read, an error if it has no stored form.
    private var defaultEntries: Result<PropertyListTable, ValueEncodingError>? {
        constantDefault.map { value in
            Result { () throws(ValueEncodingError) in try entries(of: value) }
        }
    }

    private func content(
        ofDefault entries: Result<PropertyListTable, ValueEncodingError>?
    ) -> Defaults.SettingsDescription.Content {
        switch entries {
        case nil: .computed
        case .failure(let error): isSecret ? .secret : .unreadable(reason: error.reason)
        case .success(let entries):
            switch coding.stored(under: name, in: entries) {
            case nil: .none
            case let stored?: isSecret ? .secret : .value(stored.value)
            }
        }
    }

    private func content(
        of stored: StoredValue,
        in store: any PropertyListStore,
        hidden isHidden: Bool
    ) -> Defaults.SettingsDescription.Content {
        do {
            _ = try strictValue(of: stored, in: store)
            return isHidden ? .secret : .value(stored.value)
        } catch {
            // The reason is hidden too: a custom bridge can put a part of the value into it.
            return .unreadable(reason: isHidden ? "the secret value does not fit its key" : error.summary)
        }
    }

    /// The JSON Schema of each entry.
    private func schemas(
        defaults: Result<PropertyListTable, ValueEncodingError>?
    ) -> TextDictionary<PropertyListDictionary> {
        entryNames.reduce(into: [:]) { schemas, entry in
            var schema = entrySchema
            schema["description"] = summary.map { .string($0) }
            if isSecret {
                schema["writeOnly"] = true
            } else if case .success(let values)? = defaults {
                schema["default"] = values[entry]
            }
            schemas[entry] = schema
        }
    }

    /// The constraints of the type and the rules on the only entry; empty if a direct bridge chose the entries.
    private var entrySchema: PropertyListDictionary {
        if coding.isDirect { return [:] }
        var schema = StoredSchema.schema(of: coding.storedBy)
        schema["enum"] = formsOfCases.map { .array($0) }
        // Rules may not hold for the stored form: a bridge can store a number as text, or in another unit.
        guard StoredSchema.isStoredAsItIs(coding.storedBy) else { return schema }
        var further: [PropertyListValue] = []
        var limits: PropertyListDictionary = [:]
        for rule in rules {
            if limits.keys.contains(where: { rule.schema[$0] != nil }) {
                further.append(.dictionary(rule.schema))
            } else {
                limits.merge(rule.schema) { $1 }
            }
        }
        // The bounds of a rule are values of the type, so they are within the type's own bounds.
        schema.merge(limits) { $1 }
        if !further.isEmpty { schema["allOf"] = .array(further) }
        return schema
    }

    /// All values of an enumeration that the rules allow; `nil` for other types, for very many values, and for a secret, whose possible
    /// values are not disclosed.
    private var cases: [Value]? {
        guard !isSecret, let all = CaseNames.all(of: Value.self), all.count <= 100 else { return nil }
        let cases = all.compactMap { $0 as? Value }.filter { value in rules.allSatisfy { $0.isSatisfied(by: value) } }
        return cases.isEmpty ? nil : cases
    }

    /// The forms of these values, those of writing and those that are also read.
    private var formsOfCases: [PropertyListValue]? {
        guard let encode = coding.encodeEntry, let cases else { return nil }
        var forms: [PropertyListValue] = []
        for value in cases {
            do {
                let name = CaseNames.name(of: value).flatMap {
                    isName($0, of: value) ? PropertyListValue.string($0) : nil
                }
                for form in [try coding.readable?.encode(value), try encode(value), name] {
                    if let form, !forms.contains(form) { forms.append(form) }
                }
            } catch {
                // A partial list would be wrong.
                return nil
            }
        }
        return forms
    }
}
