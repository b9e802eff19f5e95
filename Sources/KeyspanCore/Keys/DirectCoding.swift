/// The conversion between the values of a key and the entries that a direct bridge chooses.
///
/// The key treats the entries as one stored value, which ``combined(under:entry:)`` makes.
@usableFromInline
struct DirectCoding<Value>: Sendable {
    /// The names of the entries of a key.
    let entries: @Sendable (_ name: String) -> [String]

    private let makeValue: @Sendable (PropertyListTable, _ name: String) throws(ValueDecodingError) -> Value?

    /// The reason given for entries that make no value.
    private let failure: String

    /// Writes the entries of a value; removes them for `nil`.
    let encode: @Sendable (Value?, _ name: String, inout PropertyListEdit) throws(ValueEncodingError) -> Void

    /// Makes the coding of a bridge that is direct, or of an optional's bridge that wraps such a one; `nil` for other bridges.
    @usableFromInline
    init?(bridge: any Defaults.Bridge) {
        if let direct = bridge as? any Defaults.DirectBridge, let coding = Self.coding(of: direct) as? Self {
            self = coding
        } else if let wrapping = bridge as? any WrappingBridge,
            let direct = wrapping.wrappedBridge as? any Defaults.DirectBridge,
            let coding = Self.optionalCoding(of: direct)
        {
            self = coding
        } else {
            return nil
        }
    }

    private init<Bridge: Defaults.DirectBridge>(_ bridge: Bridge) where Bridge.Value == Value {
        self.init(
            entries: { bridge.entries(of: $0) },
            failure: "\(Bridge.self) makes no \(Bridge.Value.self) of it",
            makeValue: { (entries, name) throws(ValueDecodingError) in try bridge.get(key: name, store: entries) },
            encode: { (value, name, edit) throws(ValueEncodingError) in
                try bridge.save(key: name, value: value, store: &edit)
            }
        )
    }

    private init(
        entries: @escaping @Sendable (String) -> [String],
        failure: String,
        makeValue: @escaping @Sendable (PropertyListTable, String) throws(ValueDecodingError) -> Value?,
        encode: @escaping @Sendable (Value?, String, inout PropertyListEdit) throws(ValueEncodingError) -> Void
    ) {
        self.entries = entries
        self.failure = failure
        self.makeValue = makeValue
        self.encode = encode
    }

    // Calling these opens the existential, so the type of the bridge is known inside.

    private static func coding<Bridge: Defaults.DirectBridge>(of bridge: Bridge) -> Any {
        DirectCoding<Bridge.Value>(bridge)
    }

    private static func optionalCoding<Bridge: Defaults.DirectBridge>(of bridge: Bridge) -> DirectCoding? {
        guard TypeName.unwrapped(Value.self) == TypeName.unwrapped(Bridge.Value.self) else { return nil }
        // Casts, because the value can be an optional of optionals.
        return DirectCoding<Bridge.Value>(bridge).converted(
            from: { $0 as? Bridge.Value },
            to: { $0 as? Value },
            failure: ""
        )
    }

    /// The coding of values that are made from those of this coding; see ``KeyCoding``.
    func converted<Other>(
        from: @escaping @Sendable (Other) -> Value?,
        to: @escaping @Sendable (Value) -> Other?,
        failure: String
    ) -> DirectCoding<Other> {
        DirectCoding<Other>(
            entries: entries,
            failure: failure,
            makeValue: { (entries, name) throws(ValueDecodingError) in to(try decode(entries, under: name)) },
            encode: { [encode] (value, name, edit) throws(ValueEncodingError) in
                try encode(value.flatMap(from), name, &edit)
            }
        )
    }

    /// The value that the present entries make.
    private func decode(_ entries: PropertyListTable, under name: String) throws(ValueDecodingError) -> Value {
        if let value = try makeValue(entries, name) { return value }
        let stored = combined(under: name) { entries[stored: $0] }
        throw .unreadable(stored?.value ?? .dictionary(entries.dictionary), reason: failure)
    }

    /// The value of the stored form of a key.
    @usableFromInline
    func decode(_ stored: PropertyListValue, under name: String) throws(ValueDecodingError) -> Value {
        guard !hasOnly(name), case .dictionary(let entries) = stored else {
            return try decode([name: stored] as PropertyListTable, under: name)
        }
        return try decode(PropertyListTable(entries), under: name)
    }

    /// The present entries as one stored value; `nil` if there are none.
    ///
    /// It is the value of the entry if the key's own name is the only one, and otherwise a dictionary of the present entries.
    /// This depends on the names alone, never on the values, so a dictionary stored in one of the entries is not mistaken for
    /// a dictionary of entries.
    func combined(under name: String, entry: (String) -> StoredValue?) -> StoredValue? {
        let names = entries(name)
        if Self.isOnly(name, of: names) { return entry(name) }
        var entries: TextDictionary<StoredValue> = [:]
        for name in names { entries[name] = entry(name) }
        return entries.isEmpty ? nil : StoredValue(entries: entries)
    }

    /// Whether the key's own name is that of the only entry.
    func hasOnly(_ name: String) -> Bool { Self.isOnly(name, of: entries(name)) }

    private static func isOnly(_ name: String, of entries: [String]) -> Bool {
        entries.count == 1 && entries[0].hasSameUTF8(as: name)
    }
}

/// A bridge that delegates to the bridge of a wrapped type.
private protocol WrappingBridge {
    var wrappedBridge: any Defaults.Bridge { get }
}

extension Defaults.OptionalBridge: WrappingBridge {
    fileprivate var wrappedBridge: any Defaults.Bridge {
        (Wrapped.bridge as? any WrappingBridge)?.wrappedBridge ?? Wrapped.bridge
    }
}
