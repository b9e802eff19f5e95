#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Keys for dictionaries indexed by the cases of an enumeration, or by UUIDs.
///
/// They are stored like other dictionaries whose indexes are not strings, under the text of the raw value or of the UUID:
/// `[Theme: Double]` as `["dark": "0.5"]`. The name of a case is read as well. See ``Defaults/DictionaryBridge``.
extension Defaults.Key {
    /// Makes a key with a default for a dictionary indexed by raw-representable values, such as enumeration cases.
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
    ///   - defaultValue: The value of the key where the store has none.
    ///   - suite: The store that the static members of ``Defaults`` use for this key; the standard store if `nil`.
    ///   - iCloud: Whether the value is synchronized among a user's devices.
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

    /// Makes a key for a dictionary indexed by raw-representable values, with a default computed for each read that needs it.
    ///
    /// - Parameters:
    ///   - name: The name under which a store has the value.
    ///   - suite: The store that the static members of ``Defaults`` use for this key; the standard store if `nil`.
    ///   - iCloud: Whether the value is synchronized among a user's devices.
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

    /// Makes a key for an optional dictionary indexed by raw-representable values.
    ///
    /// - Parameters:
    ///   - name: The name under which a store has the value.
    ///   - suite: The store that the static members of ``Defaults`` use for this key; the standard store if `nil`.
    ///   - iCloud: Whether the value is synchronized among a user's devices.
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

    /// Makes a key with a default for a dictionary indexed by UUIDs.
    ///
    /// - Parameters:
    ///   - name: The name under which a store has the value.
    ///   - defaultValue: The value of the key where the store has none.
    ///   - suite: The store that the static members of ``Defaults`` use for this key; the standard store if `nil`.
    ///   - iCloud: Whether the value is synchronized among a user's devices.
    @_disfavoredOverload
    public convenience init<Element>(
        _ name: String,
        default defaultValue: Value,
        suite: (any PropertyListStore)? = nil,
        iCloud: Bool = false
    ) where Value == [UUID: Element], Element: Defaults.Serializable {
        self.init(name, suite: suite, iCloud: iCloud, default: .constant(defaultValue), namedBy: UUIDName.self)
    }

    /// Makes a key for a dictionary indexed by UUIDs, with a default computed for each read that needs it.
    ///
    /// - Parameters:
    ///   - name: The name under which a store has the value.
    ///   - suite: The store that the static members of ``Defaults`` use for this key; the standard store if `nil`.
    ///   - iCloud: Whether the value is synchronized among a user's devices.
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

    /// Makes a key for an optional dictionary indexed by UUIDs.
    ///
    /// - Parameters:
    ///   - name: The name under which a store has the value.
    ///   - suite: The store that the static members of ``Defaults`` use for this key; the standard store if `nil`.
    ///   - iCloud: Whether the value is synchronized among a user's devices.
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
            coding: .named(by: type),
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
            coding: KeyCoding<[Name.Key: Element]>.named(by: type).optional,
            details: KeyDetails(iCloud: iCloud)
        )
    }
}
