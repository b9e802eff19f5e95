/// The way between the values of a key and the entries that a direct bridge chooses.
///
/// To the key, the entries are one stored value, which ``combined(under:entry:)`` makes of them.
@usableFromInline
protocol DirectCoder<Value>: Sendable {
    associatedtype Value

    /// The names of the entries.
    func entries(of name: String) -> [String]

    /// The value that the present entries make.
    func decode(_ entries: PropertyListTable, under name: String) throws(ValueDecodingError) -> Value

    /// Writes the entries of a value.
    func encode(_ value: Value, under name: String, into edit: inout PropertyListEdit) throws(ValueEncodingError)
}

extension DirectCoder {
    /// The present entries as one stored value; `nil` if there are none.
    ///
    /// It is the value of the entry if the key's own name is the only one, and else a dictionary of those that are present.
    /// Which of the two depends on the names alone, never on what is in the entries: a dictionary that is stored in one of
    /// them is not taken for a dictionary of entries.
    func combined(under name: String, entry: (String) -> StoredValue?) -> StoredValue? {
        let names = entries(of: name)
        if Self.isOnly(name, of: names) { return entry(name) }
        var entries: TextDictionary<StoredValue> = [:]
        for name in names { entries[name] = entry(name) }
        return entries.isEmpty ? nil : StoredValue(members: entries)
    }

    /// The entries of which ``combined(under:entry:)`` made one stored value.
    func separated(_ stored: PropertyListValue, under name: String) -> PropertyListTable {
        guard !Self.isOnly(name, of: entries(of: name)), case .dictionary(let entries) = stored else {
            return [name: stored]
        }
        return PropertyListTable(entries)
    }

    /// The error for entries of which no value can be made.
    func unreadable(_ entries: PropertyListTable, under name: String, reason: String) -> ValueDecodingError {
        .unreadable(combined(under: name) { entries[stored: $0] }?.value ?? .dictionary(entries.dictionary), reason: reason)
    }

    private static func isOnly(_ name: String, of entries: [String]) -> Bool {
        entries.count == 1 && entries[0].hasSameUTF8(as: name)
    }
}

/// Codes values with a direct bridge.
struct DirectBridgeCoder<Bridge: Defaults.DirectBridge>: DirectCoder {
    let bridge: Bridge

    func entries(of name: String) -> [String] { bridge.entries(of: name) }

    func decode(_ entries: PropertyListTable, under name: String) throws(ValueDecodingError) -> Bridge.Value {
        guard let value = try bridge.get(key: name, store: entries) else {
            throw unreadable(entries, under: name, reason: "\(Bridge.self) makes no \(Bridge.Value.self) of it")
        }
        return value
    }

    func encode(
        _ value: Bridge.Value,
        under name: String,
        into edit: inout PropertyListEdit
    ) throws(ValueEncodingError) {
        try bridge.save(key: name, value: value, store: &edit)
    }
}

/// Codes optional values with a direct bridge for what they wrap.
struct OptionalDirectBridgeCoder<Bridge: Defaults.DirectBridge>: DirectCoder {
    let wrapped: DirectBridgeCoder<Bridge>

    func entries(of name: String) -> [String] { wrapped.entries(of: name) }

    func decode(_ entries: PropertyListTable, under name: String) throws(ValueDecodingError) -> Bridge.Value? {
        try wrapped.decode(entries, under: name)
    }

    func encode(
        _ value: Bridge.Value?,
        under name: String,
        into edit: inout PropertyListEdit
    ) throws(ValueEncodingError) {
        try wrapped.bridge.save(key: name, value: value, store: &edit)
    }
}

/// Codes values with the direct coder of the optional ones.
struct UnwrappingDirectCoder<Value>: DirectCoder {
    let optional: any DirectCoder<Value?>

    func entries(of name: String) -> [String] { optional.entries(of: name) }

    func decode(_ entries: PropertyListTable, under name: String) throws(ValueDecodingError) -> Value {
        guard let value = try optional.decode(entries, under: name) else {
            throw unreadable(entries, under: name, reason: "it makes no value")
        }
        return value
    }

    func encode(_ value: Value, under name: String, into edit: inout PropertyListEdit) throws(ValueEncodingError) {
        try optional.encode(value, under: name, into: &edit)
    }
}

/// Codes raw-representable values with the direct coder of their raw values.
struct RawValueDirectCoder<Value: RawRepresentable>: DirectCoder {
    let rawValue: any DirectCoder<Value.RawValue?>

    func entries(of name: String) -> [String] { rawValue.entries(of: name) }

    func decode(_ entries: PropertyListTable, under name: String) throws(ValueDecodingError) -> Value? {
        guard let value = try rawValue.decode(entries, under: name).flatMap(Value.init(rawValue:)) else {
            throw unreadable(entries, under: name, reason: "it is no raw value of \(Value.self)")
        }
        return value
    }

    func encode(_ value: Value?, under name: String, into edit: inout PropertyListEdit) throws(ValueEncodingError) {
        try rawValue.encode(value?.rawValue, under: name, into: &edit)
    }
}
