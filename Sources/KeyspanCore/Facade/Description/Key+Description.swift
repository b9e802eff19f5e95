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
        return Defaults.SettingsDescription.Row(
            name: name,
            type: TypeName.of(Value.self),
            defaultValue: defaultContent,
            value: stored.map { content(of: $0, in: store, hidden: isHidden) } ?? defaultContent,
            provenance: Provenance(joining: entryNames.compactMap { provenance[$0] }),
            requirements: rules.map(\.requirement),
            summary: summary,
            isSecret: isSecret,
            words: words(default: defaultContent),
            isFlag: TypeName.unwrapped(Value.self) is Bool.Type,
            schemas: schemas(defaults: defaultEntries)
        )
    }

    /// The possible values of an enumeration, or else the kind of values.
    private func words(default content: Defaults.SettingsDescription.Content) -> String {
        // The possible values of a secret are not disclosed.
        if !isSecret, let cases, !cases.isEmpty {
            return "one of "
                + cases.map { Defaults.SettingsDescription.Content.value($0).plainText }.joined(separator: ", ")
        }
        let words = TypeWords.of(Value.self, showsCases: !isSecret)
        // The type of a structure does not tell its members, but a value does.
        if !words.isKnown, case .value(.dictionary(let members)) = content, !members.isEmpty {
            return
                "a structure with the members \(members.sortedByName().map(\.key).joined(separator: ", ")), as JSON text"
        }
        return words.one
    }

    /// The entries of the default; `nil` if it is computed for each read, an error if it has no stored form.
    private var defaultEntries: Result<PropertyListTable, ValueEncodingError>? {
        guard let value = constantDefault else { return nil }
        var edit = PropertyListEdit([:])
        do {
            if let readable = coding.readable, readable.isUsed(nil) {
                edit[name] = try readable.encode(value)
            } else {
                try coding.encode(value, under: name, into: &edit)
            }
        } catch {
            return .failure(error)
        }
        return .success(
            entryNames.reduce(into: [:]) { entries, entry in
                entries[entry] = edit[entry]
            }
        )
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
        // The possible values of a secret are not disclosed.
        if !isSecret { schema["enum"] = cases.map { .array($0) } }
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

    /// The forms of all values of an enumeration, those of writing and those that are also read; `nil` for other types and for very many
    /// values.
    private var cases: [PropertyListValue]? {
        guard
            let encode = coding.encodeEntry,
            let type = TypeName.unwrapped(Value.self) as? any CaseIterable.Type,
            let values = Self.values(of: type)
        else { return nil }
        var cases: [PropertyListValue] = []
        for value in values {
            do {
                if let readable = try coding.readable?.encode(value) { cases.append(readable) }
                if let stored = try encode(value), !cases.contains(stored) { cases.append(stored) }
            } catch {
                // A partial list would be wrong.
                return nil
            }
        }
        let names = CaseNames.all(of: TypeName.unwrapped(Value.self)).map { PropertyListValue.string($0) }
        return cases + names.filter { !cases.contains($0) }
    }

    private static func values<Cases: CaseIterable>(of type: Cases.Type) -> [Value]? {
        let maximum = 100
        let values = type.allCases.prefix(maximum + 1).compactMap { $0 as? Value }
        return values.count > maximum ? nil : values
    }
}
