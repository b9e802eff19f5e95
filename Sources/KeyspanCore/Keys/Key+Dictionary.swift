#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Keys for dictionaries by the cases of an enumeration, or by UUIDs.
///
/// They are stored as dictionaries by other types than `String` are, under the text of the raw value or of the UUID:
/// `[Theme: Double]` as `["dark": "0.5"]`. See ``Defaults/DictionaryBridge``.
extension Defaults.Key {
    /// Makes a key for a dictionary by raw-representable values, such as the cases of an enumeration, with a default.
    ///
    /// ```swift
    /// enum Channel: String {
    ///     case music, speech
    /// }
    ///
    /// extension Defaults.Keys {
    ///     static let volumes = Key<[Channel: Double]>("volumes", default: [:])
    /// }
    ///
    /// let defaults = Defaults(InMemoryStore())
    /// defaults[.volumes][.speech] = 0.5  // stored as ["speech": "0.5"]
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name under which a store has the value.
    ///   - defaultValue: The value that is read where the store has none.
    ///   - suite: The store that the static members of ``Defaults`` use for this key; the standard store if `nil`.
    ///   - iCloud: Whether the value is to be the same on all devices of a user, where there is a store for that.
    @_disfavoredOverload
    public convenience init<Name, Element>(
        _ name: String,
        default defaultValue: Value,
        suite: (any PropertyListStore)? = nil,
        iCloud: Bool = false
    )
    where
        Value == [Name: Element],
        Name: RawRepresentable & SendableMetatype,
        Name.RawValue: LosslessStringConvertible,
        Element: Defaults.Serializable
    {
        self.init(
            name,
            suite: suite,
            iCloud: iCloud,
            default: .constant(defaultValue),
            namedBy: RawValueName<Name>.self
        )
    }

    /// Makes a key for a dictionary by raw-representable values, whose default is made anew for each read that finds no value.
    ///
    /// - Parameters:
    ///   - name: The name under which a store has the value.
    ///   - suite: The store that the static members of ``Defaults`` use for this key; the standard store if `nil`.
    ///   - iCloud: Whether the value is to be the same on all devices of a user, where there is a store for that.
    ///   - makeDefault: Makes the default; called on the thread that reads.
    @_disfavoredOverload
    public convenience init<Name, Element>(
        _ name: String,
        suite: (any PropertyListStore)? = nil,
        iCloud: Bool = false,
        default makeDefault: @escaping @Sendable () -> Value
    )
    where
        Value == [Name: Element],
        Name: RawRepresentable & SendableMetatype,
        Name.RawValue: LosslessStringConvertible,
        Element: Defaults.Serializable
    {
        self.init(name, suite: suite, iCloud: iCloud, default: .dynamic(makeDefault), namedBy: RawValueName<Name>.self)
    }

    /// Makes a key for a dictionary by raw-representable values that may be absent.
    ///
    /// - Parameters:
    ///   - name: The name under which a store has the value.
    ///   - suite: The store that the static members of ``Defaults`` use for this key; the standard store if `nil`.
    ///   - iCloud: Whether the value is to be the same on all devices of a user, where there is a store for that.
    @_disfavoredOverload
    public convenience init<Name, Element>(
        _ name: String,
        suite: (any PropertyListStore)? = nil,
        iCloud: Bool = false
    )
    where
        Value == [Name: Element]?,
        Name: RawRepresentable & SendableMetatype,
        Name.RawValue: LosslessStringConvertible,
        Element: Defaults.Serializable
    {
        self.init(name, suite: suite, iCloud: iCloud, optionalNamedBy: RawValueName<Name>.self)
    }

    /// Makes a key for a dictionary by UUIDs with a default.
    ///
    /// - Parameters:
    ///   - name: The name under which a store has the value.
    ///   - defaultValue: The value that is read where the store has none.
    ///   - suite: The store that the static members of ``Defaults`` use for this key; the standard store if `nil`.
    ///   - iCloud: Whether the value is to be the same on all devices of a user, where there is a store for that.
    @_disfavoredOverload
    public convenience init<Element>(
        _ name: String,
        default defaultValue: Value,
        suite: (any PropertyListStore)? = nil,
        iCloud: Bool = false
    ) where Value == [UUID: Element], Element: Defaults.Serializable {
        self.init(name, suite: suite, iCloud: iCloud, default: .constant(defaultValue), namedBy: UUIDName.self)
    }

    /// Makes a key for a dictionary by UUIDs, whose default is made anew for each read that finds no value.
    ///
    /// - Parameters:
    ///   - name: The name under which a store has the value.
    ///   - suite: The store that the static members of ``Defaults`` use for this key; the standard store if `nil`.
    ///   - iCloud: Whether the value is to be the same on all devices of a user, where there is a store for that.
    ///   - makeDefault: Makes the default; called on the thread that reads.
    @_disfavoredOverload
    public convenience init<Element>(
        _ name: String,
        suite: (any PropertyListStore)? = nil,
        iCloud: Bool = false,
        default makeDefault: @escaping @Sendable () -> Value
    ) where Value == [UUID: Element], Element: Defaults.Serializable {
        self.init(name, suite: suite, iCloud: iCloud, default: .dynamic(makeDefault), namedBy: UUIDName.self)
    }

    /// Makes a key for a dictionary by UUIDs that may be absent.
    ///
    /// - Parameters:
    ///   - name: The name under which a store has the value.
    ///   - suite: The store that the static members of ``Defaults`` use for this key; the standard store if `nil`.
    ///   - iCloud: Whether the value is to be the same on all devices of a user, where there is a store for that.
    @_disfavoredOverload
    public convenience init<Element>(
        _ name: String,
        suite: (any PropertyListStore)? = nil,
        iCloud: Bool = false
    ) where Value == [UUID: Element]?, Element: Defaults.Serializable {
        self.init(name, suite: suite, iCloud: iCloud, optionalNamedBy: UUIDName.self)
    }

    private convenience init<Name: DictionaryName, Element: Defaults.Serializable>(
        _ name: String,
        suite: (any PropertyListStore)?,
        iCloud: Bool,
        default defaultSource: DefaultSource<Value>,
        namedBy type: Name.Type
    ) where Value == [Name.Key: Element] {
        self.init(
            name: name,
            suite: suite,
            default: defaultSource,
            coding: .entry(.named(by: type)),
            details: KeyDetails(iCloud: iCloud)
        )
    }

    private convenience init<Name: DictionaryName, Element: Defaults.Serializable>(
        _ name: String,
        suite: (any PropertyListStore)?,
        iCloud: Bool,
        optionalNamedBy type: Name.Type
    ) where Value == [Name.Key: Element]? {
        self.init(
            name: name,
            suite: suite,
            default: .constant(nil),
            coding: .entry(EntryCoder<[Name.Key: Element]>.named(by: type).optional),
            details: KeyDetails(iCloud: iCloud)
        )
    }
}

extension EntryCoder {
    /// Codes dictionaries whose keys are stored by these names.
    static func named<Name: DictionaryName, Element: Defaults.Serializable>(
        by name: Name.Type
    ) -> EntryCoder where Value == [Name.Key: Element] {
        EntryCoder(
            sharesDecodedValues: Element.sharesDecodedValues,
            storedBy: Defaults.DictionaryBridge<Name, Element>.self
        ) { (value) throws(ValueEncodingError) in
            let named = Dictionary(uniqueKeysWithValues: value.lazy.map { (Name($0.key), $0.value) })
            return try Defaults.DictionaryBridge<Name, Element>().encode(named)
        } decode: { (stored, context) throws(ValueDecodingError) in
            let named = try Defaults.DictionaryBridge<Name, Element>().decode(stored, in: &context)
            return Dictionary(uniqueKeysWithValues: named.lazy.map { ($0.key.key, $0.value) })
        }
    }
}
