/// The conversion between the values of a key and their stored form: one entry of the key's name, or the entries that a direct
/// bridge chooses.
///
/// It consists of closures, because the compiler specializes those for the type of the key where the key is declared. Calls of a
/// protocol's methods would go through the runtime's generic code.
@usableFromInline
struct KeyCoding<Value>: Sendable {
    /// Makes the stored form of a value; `nil` for a value that is stored as no entry.
    @usableFromInline
    typealias Encode = @Sendable (Value) throws(ValueEncodingError) -> PropertyListValue?

    /// Makes the value of a stored form.
    @usableFromInline
    typealias DecodeEntry =
        @Sendable (PropertyListValue, inout Defaults.DecodingContext) throws(ValueDecodingError) -> Value

    /// Whether all readers of the key may share a decoded value.
    @usableFromInline let sharesDecodedValues: Bool

    /// The type of the bridge, or the type of the values if that names the bridge; for descriptions.
    @usableFromInline let storedBy: any SendableMetatype.Type

    /// `nil` for a direct bridge.
    @usableFromInline let decodeEntry: DecodeEntry?

    /// `nil` for a direct bridge.
    @usableFromInline let encodeEntry: Encode?

    /// The readable form of the one entry; `nil` if there is only one form.
    @usableFromInline let readable: ReadableCoding<Value>?

    /// Whether the bridge is direct, and then also ``direct`` is there.
    @usableFromInline let isDirect: Bool

    /// The conversion to and from the entries of a direct bridge.
    @usableFromInline let direct: DirectCoding<Value>?

    /// Makes the conversion to and from one entry.
    @inlinable
    init(
        sharesDecodedValues: Bool,
        storedBy: any SendableMetatype.Type,
        readable: ReadableCoding<Value>? = nil,
        encode: @escaping Encode,
        decode: @escaping DecodeEntry
    ) {
        self.sharesDecodedValues = sharesDecodedValues
        self.storedBy = storedBy
        decodeEntry = decode
        encodeEntry = encode
        self.readable = readable
        isDirect = false
        direct = nil
    }

    /// Makes the conversion to and from several entries.
    @usableFromInline
    init(direct: DirectCoding<Value>, storedBy: any SendableMetatype.Type) {
        sharesDecodedValues = !(Value.self is AnyObject.Type)
        self.storedBy = storedBy
        decodeEntry = nil
        encodeEntry = nil
        readable = nil
        isDirect = true
        self.direct = direct
    }
}

// MARK: - Making

extension KeyCoding where Value: Defaults.Serializable {
    /// The coding that the value's type names.
    @inlinable static var ofType: KeyCoding {
        if let direct = DirectCoding<Value>(bridge: Value.bridge) {
            return KeyCoding(direct: direct, storedBy: Value.self)
        }
        return KeyCoding(
            sharesDecodedValues: Value.sharesDecodedValues,
            storedBy: Value.self,
            readable: .ofType
        ) { (value) throws(ValueEncodingError) in
            try Value.encode(value)
        } decode: { (stored, context) throws(ValueDecodingError) in
            try Value.decode(stored, in: &context)
        }
    }
}

extension KeyCoding {
    /// The coding of values by a bridge.
    init<Bridge: Defaults.Bridge & Sendable>(_ bridge: Bridge) where Bridge.Value == Value {
        if let direct = DirectCoding<Value>(bridge: bridge) {
            self.init(direct: direct, storedBy: Bridge.self)
            return
        }
        self.init(
            sharesDecodedValues: !(Value.self is AnyObject.Type),
            storedBy: Bridge.self
        ) { (value) throws(ValueEncodingError) in
            try bridge.encode(value)
        } decode: { (stored, context) throws(ValueDecodingError) in
            try bridge.decode(stored, in: &context)
        }
    }

    /// The coding of dictionaries whose keys are stored under these names.
    static func named<Name: DictionaryName, Element: Defaults.Serializable>(
        by name: Name.Type
    ) -> KeyCoding where Value == [Name.Key: Element] {
        KeyCoding(
            sharesDecodedValues: Element.sharesDecodedValues,
            storedBy: Defaults.DictionaryBridge<Name, Element>.self,
            readable: Defaults.DictionaryBridge<Name, Element>().readableCoding(levels: 64)?.converted(from: Self.named)
        ) { (value) throws(ValueEncodingError) in
            try Defaults.DictionaryBridge<Name, Element>().encode(Self.named(value))
        } decode: { (stored, context) throws(ValueDecodingError) in
            let named = try Defaults.DictionaryBridge<Name, Element>().decode(stored, in: &context)
            return Dictionary(uniqueKeysWithValues: named.lazy.map { ($0.key.key, $0.value) })
        }
    }

    private static func named<Name: DictionaryName, Element>(_ value: [Name.Key: Element]) -> [Name: Element] {
        Dictionary(uniqueKeysWithValues: value.lazy.map { (Name($0.key), $0.value) })
    }

    /// The coding of optional values; `nil` is stored as no entry.
    var optional: KeyCoding<Value?> {
        converted(
            sharesDecodedValues: sharesDecodedValues,
            from: { $0 },
            to: { .some(.some($0)) },
            failure: "it makes no value"
        )
    }

    /// The coding of the values that the optionals of this one wrap, for a key with a default made from one without.
    func unwrapped<Wrapped>() -> KeyCoding<Wrapped> where Value == Wrapped? {
        converted(
            sharesDecodedValues: sharesDecodedValues,
            from: { .some($0) },
            to: { $0 },
            failure: "it makes no value"
        )
    }

    /// The coding of raw-representable values by their raw values.
    func representing<Represented: RawRepresentable & SendableMetatype>(
        _ type: Represented.Type
    ) -> KeyCoding<Represented?> where Value == Represented.RawValue? {
        converted(
            sharesDecodedValues: sharesDecodedValues && !(type is AnyObject.Type),
            from: { .some($0?.rawValue) },
            to: { $0.flatMap(Represented.init(rawValue:)).map { .some($0) } },
            failure: "it is not a value of the type \(Represented.self)"
        )
    }

    /// The coding of values that are made from those of this coding.
    ///
    /// - Parameters:
    ///   - sharesDecodedValues: Whether all readers of the key may share a converted value.
    ///   - from: The value to store; `nil` to store no entry.
    ///   - to: The converted value; `nil` if there is none, which makes the stored form unreadable.
    ///   - failure: The reason why the stored form is unreadable then.
    private func converted<Other>(
        sharesDecodedValues: Bool,
        from: @escaping @Sendable (Other) -> Value?,
        to: @escaping @Sendable (Value) -> Other?,
        failure: String
    ) -> KeyCoding<Other> {
        if let direct {
            return KeyCoding<Other>(direct: direct.converted(from: from, to: to, failure: failure), storedBy: storedBy)
        }
        return KeyCoding<Other>(
            sharesDecodedValues: sharesDecodedValues,
            storedBy: storedBy,
            readable: readable?.converted(from: from)
        ) { [encodeEntry] (value) throws(ValueEncodingError) in
            guard let encodeEntry, let value = from(value) else { return nil }
            return try encodeEntry(value)
        } decode: { [decodeEntry] (stored, context) throws(ValueDecodingError) in
            guard let decodeEntry, let value = to(try decodeEntry(stored, &context)) else {
                throw .unreadable(stored, reason: failure)
            }
            return value
        }
    }
}

extension KeyCoding {
    /// The same coding, with the decoding of another one.
    func decoding(as other: KeyCoding) -> KeyCoding {
        KeyCoding(
            sharesDecodedValues: sharesDecodedValues,
            storedBy: storedBy,
            decodeEntry: other.decodeEntry,
            encodeEntry: encodeEntry,
            readable: readable,
            direct: direct
        )
    }

    private init(
        sharesDecodedValues: Bool,
        storedBy: any SendableMetatype.Type,
        decodeEntry: DecodeEntry?,
        encodeEntry: Encode?,
        readable: ReadableCoding<Value>?,
        direct: DirectCoding<Value>?
    ) {
        self.sharesDecodedValues = sharesDecodedValues
        self.storedBy = storedBy
        self.decodeEntry = decodeEntry
        self.encodeEntry = encodeEntry
        self.readable = readable
        isDirect = direct != nil
        self.direct = direct
    }
}

// MARK: - Using

extension KeyCoding {
    /// The names of the entries.
    func entries(of name: String) -> [String] { direct?.entries(name) ?? [name] }

    /// The value of the combined entries of a direct bridge.
    @usableFromInline
    func decodeDirectly(_ stored: PropertyListValue, under name: String) throws(ValueDecodingError) -> Value {
        guard let direct else { throw .unreadable(stored, reason: "its key has no bridge") }
        return try direct.decode(stored, under: name)
    }

    /// The stored form in a state of a store.
    @usableFromInline
    func stored(under name: String, in table: PropertyListTable) -> StoredValue? {
        stored(under: name) { table[stored: $0] }
    }

    /// The stored form in an edit, with the writes of the edit.
    @usableFromInline
    func stored(under name: String, in edit: inout PropertyListEdit) -> StoredValue? {
        stored(under: name) { edit.storedValue(forKey: $0) }
    }

    /// The stored form that a write in an edit replaces.
    func stored(under name: String, replacedIn edit: inout PropertyListEdit) -> StoredValue? {
        stored(under: name) { edit.replacedValue(forKey: $0) }
    }

    private func stored(under name: String, entry: (String) -> StoredValue?) -> StoredValue? {
        if let direct { direct.combined(under: name, entry: entry) } else { entry(name) }
    }

    /// The stored form with collections in place of typed texts that are written as such; `nil` if there are none.
    func readingMarkedCollections(
        in stored: PropertyListValue,
        under name: String,
        _ extent: TextExtent
    ) -> PropertyListValue? {
        guard let direct, !direct.hasOnly(name), case .dictionary(var entries) = stored else {
            return stored.markedCollection
        }
        let collections = entries.compactMap { entry, value in
            extent.part(at: .name(entry)) == .none ? nil : value.markedCollection.map { (entry, $0) }
        }
        for (entry, collection) in collections { entries[entry] = collection }
        return collections.isEmpty ? nil : .dictionary(entries)
    }

    /// Writes the stored form of a value.
    func encode(_ value: Value, under name: String, into edit: inout PropertyListEdit) throws(ValueEncodingError) {
        if let encodeEntry {
            edit[name] = try encodeEntry(value)
        } else {
            try direct?.encode(value, name, &edit)
        }
    }
}

extension PropertyListValue {
    /// The collection that a text describes as a property list or JSON text; `nil` for any other value.
    fileprivate var markedCollection: PropertyListValue? {
        if case .string(let text) = self { CollectionText.marked(text) } else { nil }
    }
}
