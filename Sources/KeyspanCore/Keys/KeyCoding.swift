/// How a key's values are stored: as the one entry of its name, or in entries that a direct bridge chooses.
@usableFromInline
enum KeyCoding<Value>: Sendable {
    case entry(EntryCoder<Value>)
    case direct(any DirectCoder<Value>)

    /// Whether a decoded value may be handed to all who read the key.
    @usableFromInline var sharesDecodedValues: Bool {
        switch self {
        case .entry(let coder): coder.sharesDecodedValues
        case .direct: !(Value.self is AnyObject.Type)
        }
    }

    /// The names of the entries.
    func entries(of name: String) -> [String] {
        switch self {
        case .entry: [name]
        case .direct(let coder): coder.entries(of: name)
        }
    }

    /// The stored form in a state of a store.
    @usableFromInline
    func stored(under name: String, in table: PropertyListTable) -> StoredValue? {
        stored(under: name) { table[stored: $0] }
    }

    /// The stored form in an edit, with what was written there.
    func stored(under name: String, in edit: inout PropertyListEdit) -> StoredValue? {
        stored(under: name) { edit.storedValue(forKey: $0) }
    }

    /// The stored form that a write in an edit takes the place of.
    func stored(under name: String, replacedIn edit: inout PropertyListEdit) -> StoredValue? {
        stored(under: name) { edit.replacedValue(forKey: $0) }
    }

    private func stored(under name: String, entry: (String) -> StoredValue?) -> StoredValue? {
        switch self {
        case .entry: entry(name)
        case .direct(let coder): coder.combined(under: name, entry: entry)
        }
    }

    /// The stored form with collections in the place of typed texts that are written as such; `nil` if there are none.
    func readingCollections(
        in stored: PropertyListValue,
        under name: String,
        _ extent: TextExtent
    ) -> PropertyListValue? {
        guard case .direct(let coder) = self, !coder.hasOnly(name), case .dictionary(var entries) = stored else {
            return stored.markedCollection
        }
        let collections = entries.compactMap { entry, value in
            extent.part(at: .name(entry)) == .none ? nil : value.markedCollection.map { (entry, $0) }
        }
        for (entry, collection) in collections { entries[entry] = collection }
        return collections.isEmpty ? nil : .dictionary(entries)
    }

    /// The value of a stored form.
    @usableFromInline
    func decode(
        _ stored: PropertyListValue,
        under name: String,
        in context: inout Defaults.DecodingContext
    ) throws(ValueDecodingError) -> Value {
        switch self {
        case .entry(let coder):
            return try coder.decode(stored, &context)
        case .direct(let coder):
            return try coder.decode(coder.separated(stored, under: name), under: name)
        }
    }

    /// Writes the stored form of a value.
    func encode(_ value: Value, under name: String, into edit: inout PropertyListEdit) throws(ValueEncodingError) {
        switch self {
        case .entry(let coder): edit[name] = try coder.encode(value)
        case .direct(let coder): try coder.encode(value, under: name, into: &edit)
        }
    }
}

extension PropertyListValue {
    /// The collection that a text says it is; `nil` for any other value.
    fileprivate var markedCollection: PropertyListValue? {
        if case .string(let text) = self { OldStyleReader.parseMarked(text) } else { nil }
    }
}
