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

    private func stored(under name: String, value: (String) -> StoredValue?) -> StoredValue? {
        guard case .direct(let coder) = self else { return value(name) }
        var entries = PropertyListDictionary()
        for entry in coder.entries(of: name) { entries[entry] = value(entry)?.value }
        if entries.isEmpty { return nil }
        if entries.count == 1, entries[name] != nil { return value(name) }
        return StoredValue(.dictionary(entries))
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
            return try coder.decode(entries(of: stored, under: name, coder: coder), under: name)
        }
    }

    /// The entries that ``stored(under:in:)`` made one value of.
    private func entries(
        of stored: PropertyListValue,
        under name: String,
        coder: any DirectCoder<Value>
    ) -> PropertyListTable {
        guard !coder.hasOnly(name), case .dictionary(let entries) = stored else { return [name: stored] }
        return PropertyListTable(entries)
    }

    /// Writes the stored form of a value.
    func encode(_ value: Value, under name: String, into edit: inout PropertyListEdit) throws(ValueEncodingError) {
        switch self {
        case .entry(let coder): edit[name] = try coder.encode(value)
        case .direct(let coder): try coder.encode(value, under: name, into: &edit)
        }
    }
}
