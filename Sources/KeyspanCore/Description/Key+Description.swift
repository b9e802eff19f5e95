/// A key that can be described without knowing the type of its value.
protocol DescribableKey {
    /// Describes the key and its value in a state of a store.
    ///
    /// - Parameters:
    ///   - table: The state.
    ///   - store: The store.
    ///   - provenance: The sources of the entries' values.
    func row(
        in table: PropertyListTable,
        of store: any PropertyListStore,
        from provenance: TextDictionary<Provenance>
    ) -> Defaults.Description.Row
}

extension Defaults.TypedKey: DescribableKey {
    /// What the key says of itself, and the value that a state of a store has for it.
    func row(
        in table: PropertyListTable,
        of store: any PropertyListStore,
        from provenance: TextDictionary<Provenance>
    ) -> Defaults.Description.Row {
        let stored = coding.stored(under: name, in: table)
        let defaultEntries = defaultEntries
        let defaultContent = content(ofDefault: defaultEntries)
        return Defaults.Description.Row(
            name: name,
            type: TypeName.of(Value.self),
            defaultValue: defaultContent,
            value: stored.map { content(of: $0, in: store) } ?? defaultContent,
            provenance: Provenance(joining: entryNames.compactMap { provenance[$0] }),
            requirements: rules.map(\.requirement),
            summary: summary,
            isSecret: isSecret,
            schemas: schemas(defaults: defaultEntries)
        )
    }

    /// The entries of the default; `nil` if it is made anew for each read, an error if it has no stored form.
    private var defaultEntries: Result<PropertyListTable, ValueEncodingError>? {
        guard let value = constantDefault else { return nil }
        var edit = PropertyListEdit([:])
        do {
            try coding.encode(value, under: name, into: &edit)
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
    ) -> Defaults.Description.Content {
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
        in store: any PropertyListStore
    ) -> Defaults.Description.Content {
        do {
            _ = try strictValue(of: stored, in: store)
            return isSecret ? .secret : .value(stored.value)
        } catch {
            // A bridge words its reasons itself, so they can have a part of the value.
            return .unreadable(reason: isSecret ? "the secret value does not fit its key" : error.cause.description)
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

    /// What the type and the rules ask of the one entry; nothing if a direct bridge has chosen the entries.
    private var entrySchema: PropertyListDictionary {
        if coding.isDirect { return [:] }
        var schema = SchemaType.schema(of: coding.storedBy)
        // Of a secret nothing says which values it may have.
        if !isSecret { schema["enum"] = cases.map { .array($0) } }
        // A bridge can store a text for a number, or a number in another unit.
        guard SchemaType.isStoredAsItIs(coding.storedBy) else { return schema }
        var further: [PropertyListValue] = []
        var limits: PropertyListDictionary = [:]
        for rule in rules {
            if limits.keys.contains(where: { rule.schema[$0] != nil }) {
                further.append(.dictionary(rule.schema))
            } else {
                limits.merge(rule.schema) { $1 }
            }
        }
        // What a rule asks is within what the type allows, because its bounds are values of the type.
        schema.merge(limits) { $1 }
        if !further.isEmpty { schema["allOf"] = .array(further) }
        return schema
    }

    /// The stored forms of all values of an enumeration; `nil` for other types and for very many values.
    private var cases: [PropertyListValue]? {
        guard
            let encode = coding.encodeEntry,
            let type = TypeName.unwrapped(Value.self) as? any CaseIterable.Type,
            let values = Self.values(of: type)
        else { return nil }
        var cases: [PropertyListValue] = []
        for value in values {
            do {
                if let stored = try encode(value) { cases.append(stored) }
            } catch {
                // The values that can be stored are then not all that the type has.
                return nil
            }
        }
        return cases
    }

    private static func values<Cases: CaseIterable>(of type: Cases.Type) -> [Value]? {
        let maximum = 100
        let values = type.allCases.prefix(maximum + 1).compactMap { $0 as? Value }
        return values.count > maximum ? nil : values
    }
}
