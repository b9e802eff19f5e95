#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// MARK: - With a default, or optional

extension Defaults.Key {
    /// Makes a key with a default.
    ///
    /// The default is not written to the store. A key of an optional type has its default again after `nil` was written, because `nil` is
    /// stored as no entry: to store an absence, give the type a case for it, such as `enum Limit { case none, times(Int) }`.
    ///
    /// - Parameters:
    ///   - name: The name under which a store has the value.
    ///   - defaultValue: The value of the key where the store has none. If it is an object, all readers share it.
    ///   - suite: The store that the static members of ``Defaults`` use for this key; the standard store if `nil`.
    ///   - iCloud: Whether the value is synchronized among a user's devices.
    @inlinable
    public convenience init(
        _ name: String,
        default defaultValue: Value,
        suite: (any PropertyListStore)? = nil,
        iCloud: Bool = false
    ) where Value: Defaults.Serializable {
        self.init(
            name: name,
            suite: suite,
            default: .constant(defaultValue),
            coding: .ofType,
            details: KeyDetails(iCloud: iCloud)
        )
    }

    /// Makes a key whose default is computed for each read that finds no value.
    ///
    /// - Parameters:
    ///   - name: The name under which a store has the value.
    ///   - suite: The store that the static members of ``Defaults`` use for this key; the standard store if `nil`.
    ///   - iCloud: Whether the value is synchronized among a user's devices.
    ///   - makeDefault: Makes the default; called on the thread that reads.
    @inlinable
    public convenience init(
        _ name: String,
        suite: (any PropertyListStore)? = nil,
        iCloud: Bool = false,
        default makeDefault: @escaping @Sendable () -> Value
    ) where Value: Defaults.Serializable {
        self.init(
            name: name,
            suite: suite,
            default: .dynamic(makeDefault),
            coding: .ofType,
            details: KeyDetails(iCloud: iCloud)
        )
    }

    /// Makes a key for an optional value.
    ///
    /// - Parameters:
    ///   - name: The name under which a store has the value.
    ///   - suite: The store that the static members of ``Defaults`` use for this key; the standard store if `nil`.
    ///   - iCloud: Whether the value is synchronized among a user's devices.
    @inlinable
    public convenience init<Wrapped>(
        _ name: String,
        suite: (any PropertyListStore)? = nil,
        iCloud: Bool = false
    ) where Value == Wrapped?, Wrapped: Defaults.Serializable {
        self.init(name, default: nil, suite: suite, iCloud: iCloud)
    }

    /// Makes a key with a default from a typed name.
    ///
    /// - Parameters:
    ///   - name: The name under which a store has the value.
    ///   - defaultValue: The value of the key where the store has none.
    ///   - suite: The store that the static members of ``Defaults`` use for this key; the standard store if `nil`.
    @_disfavoredOverload
    public convenience init(
        _ name: Defaults.KeyName,
        default defaultValue: Value,
        suite: (any PropertyListStore)? = nil
    ) where Value: Defaults.Serializable {
        self.init(name.name, default: defaultValue, suite: suite)
    }

    /// Makes a key for an optional value from a typed name.
    ///
    /// - Parameters:
    ///   - name: The name under which a store has the value.
    ///   - suite: The store that the static members of ``Defaults`` use for this key; the standard store if `nil`.
    @_disfavoredOverload
    public convenience init<Wrapped>(_ name: Defaults.KeyName, suite: (any PropertyListStore)? = nil)
    where Value == Wrapped?, Wrapped: Defaults.Serializable {
        self.init(name.name, suite: suite)
    }
}

// MARK: - With a bridge of its own

extension Defaults.Key {
    /// Makes a key with its own bridge, which takes precedence over the bridge of the values' type.
    ///
    /// Use this for a type that you do not own, or to store a value in a different form from other values of its type.
    ///
    /// - Parameters:
    ///   - name: The name under which a store has the value.
    ///   - defaultValue: The value of the key where the store has none.
    ///   - suite: The store that the static members of ``Defaults`` use for this key; the standard store if `nil`.
    ///   - bridge: Stores the value.
    public convenience init<Bridge: Defaults.Bridge & Sendable>(
        _ name: String,
        default defaultValue: Value,
        suite: (any PropertyListStore)? = nil,
        bridge: Bridge
    ) where Bridge.Value == Value {
        self.init(name: name, suite: suite, default: .constant(defaultValue), coding: KeyCoding(bridge))
    }

    /// Makes a key for an optional value with its own bridge.
    ///
    /// - Parameters:
    ///   - name: The name under which a store has the value.
    ///   - suite: The store that the static members of ``Defaults`` use for this key; the standard store if `nil`.
    ///   - bridge: Stores the value.
    public convenience init<Bridge: Defaults.Bridge & Sendable>(
        _ name: String,
        suite: (any PropertyListStore)? = nil,
        bridge: Bridge
    ) where Value == Bridge.Value? {
        self.init(name: name, suite: suite, default: .constant(nil), coding: KeyCoding<Bridge.Value>(bridge).optional)
    }
}

// MARK: - For a `Codable` value

extension Defaults {
    /// The stored form of JSON.
    public enum JSONForm: Sendable, Hashable {
        /// Text in a string, which people can read; Defaults writes it.
        case text
        /// Text in data; DefaultsWrapper, SwiftyUserDefaults, KeyValueStorage and DefaultsKey write it.
        case data
    }
}

extension Defaults.Key {
    /// A key for an optional `Codable` value, stored as JSON; the type need not be `Serializable`.
    ///
    /// - Parameters:
    ///   - type: The type, if the context does not determine it.
    ///   - name: The name under which a store has the value.
    ///   - form: The stored form of the JSON. Both forms are read.
    public static func jsonCoded<Wrapped: Codable>(
        type: Wrapped.Type = Wrapped.self,
        _ name: Defaults.KeyName,
        as form: Defaults.JSONForm = .text
    ) -> Defaults.Key<Value> where Value == Wrapped? {
        let coding: KeyCoding<Wrapped?> =
            switch form {
            case .text: KeyCoding(Defaults.TopLevelCodableBridge<Wrapped>()).optionalJSON()
            case .data: KeyCoding(Defaults.JSONDataBridge<Wrapped>()).optionalJSON()
            }
        return Defaults.Key(name: name.name, suite: nil, default: .constant(nil), coding: coding)
    }

    /// A key for a `Codable` value with a default, stored as JSON; the type need not be `Serializable`.
    ///
    /// - Parameters:
    ///   - name: The name under which a store has the value.
    ///   - defaultValue: The value of the key where the store has none.
    ///   - form: The stored form of the JSON. Both forms are read.
    public static func jsonCoded(
        _ name: Defaults.KeyName,
        default defaultValue: Value,
        as form: Defaults.JSONForm = .text
    ) -> Defaults.Key<Value> where Value: Codable {
        .defaulting(.jsonCoded(name, as: form), with: defaultValue)
    }
}

extension KeyCoding where Value: Codable {
    /// The coding of optional values: `nil` is stored as no entry, and the `null` that KeyValueStorage writes is read as `nil`.
    fileprivate func optionalJSON() -> KeyCoding<Value?> {
        optional.decoding(as: KeyCoding<Value?>(Defaults.TopLevelCodableBridge<Value?>()))
    }
}

// MARK: - From another key

extension Defaults.Key {
    /// A key with a default, made from one without.
    ///
    /// - Parameters:
    ///   - optional: The key without a default.
    ///   - defaultValue: The value of the key where the store has none.
    public static func defaulting(
        _ optional: Defaults.Key<Value?>,
        with defaultValue: Value
    ) -> Defaults.Key<Value> {
        unwrapping(optional, with: defaultValue)
    }

    static func unwrapping(_ optional: Defaults.TypedKey<Value?>, with defaultValue: Value) -> Defaults.Key<Value> {
        Defaults.Key(
            name: optional.name,
            suite: optional.suite,
            default: .constant(defaultValue),
            coding: optional.coding.unwrapped(),
            rules: optional.rules.map { $0.mapped(of: optional) { $0 } },
            details: optional.details
        )
    }

    /// A key for a raw-representable type, made from the key that stores its raw value.
    ///
    /// The rules of that key apply to the raw value.
    ///
    /// - Parameters:
    ///   - type: The type, if the context does not determine it.
    ///   - rawValue: The key of the raw value.
    public static func rawRepresentable<Wrapped: RawRepresentable & SendableMetatype>(
        type: Wrapped.Type = Wrapped.self,
        represented rawValue: Defaults.Key<Wrapped.RawValue?>
    ) -> Defaults.Key<Value> where Value == Wrapped? {
        representing(type, by: rawValue)
    }

    static func representing<Wrapped: RawRepresentable & SendableMetatype>(
        _ type: Wrapped.Type,
        by rawValue: Defaults.TypedKey<Wrapped.RawValue?>
    ) -> Defaults.Key<Value> where Value == Wrapped? {
        Defaults.Key(
            name: rawValue.name,
            suite: rawValue.suite,
            default: .constant(nil),
            coding: rawValue.coding.representing(type),
            rules: rawValue.rules.map { $0.mapped(of: rawValue) { $0?.rawValue } },
            details: rawValue.details
        )
    }
}

// MARK: - By the kind of the stored value

/// Keys for optional values of one kind.
///
/// They convert nothing: a value of another kind is reported, and read as `nil`.
extension Defaults.Key {
    /// A key for an optional Boolean.
    public static func bool(_ name: Defaults.KeyName) -> Defaults.Key<Value> where Value == Bool? { Defaults.Key(name) }

    /// A key for an optional integer.
    public static func integer(_ name: Defaults.KeyName) -> Defaults.Key<Value> where Value == Int? {
        Defaults.Key(name)
    }

    /// A key for an optional single-precision number.
    public static func float(_ name: Defaults.KeyName) -> Defaults.Key<Value> where Value == Float? {
        Defaults.Key(name)
    }

    /// A key for an optional double-precision number.
    public static func double(_ name: Defaults.KeyName) -> Defaults.Key<Value> where Value == Double? {
        Defaults.Key(name)
    }

    /// A key for an optional date.
    public static func date(_ name: Defaults.KeyName) -> Defaults.Key<Value> where Value == Date? { Defaults.Key(name) }

    /// A key for an optional string.
    public static func string(_ name: Defaults.KeyName) -> Defaults.Key<Value> where Value == String? {
        Defaults.Key(name)
    }

    /// A key for optional data.
    public static func data(_ name: Defaults.KeyName) -> Defaults.Key<Value> where Value == Data? { Defaults.Key(name) }
}

/// Keys that convert stored values as `UserDefaults` does, by the rules of <doc:CoercingValues>.
///
/// They are for values that arrive as text, and for stores that other programs write. A value that cannot be converted is
/// reported and read as the default, which is the same as for `UserDefaults`. Writing stores the value unconverted.
extension Defaults.Key {
    /// A key that reads a Boolean from other kinds too; `false` where there is none.
    public static func bool(coercing name: Defaults.KeyName) -> Defaults.Key<Value> where Value == Bool {
        coercing(name, default: false)
    }

    /// A key that reads an integer from other kinds too; 0 where there is none.
    public static func integer(coercing name: Defaults.KeyName) -> Defaults.Key<Value> where Value == Int {
        coercing(name, default: 0)
    }

    /// A key that reads a single-precision number from other kinds too; 0 where there is none.
    public static func float(coercing name: Defaults.KeyName) -> Defaults.Key<Value> where Value == Float {
        coercing(name, default: 0)
    }

    /// A key that reads a double-precision number from other kinds too; 0 where there is none.
    public static func double(coercing name: Defaults.KeyName) -> Defaults.Key<Value> where Value == Double {
        coercing(name, default: 0)
    }

    /// A key that reads a string from other kinds too; `nil` where there is none.
    public static func string(coercing name: Defaults.KeyName) -> Defaults.Key<Value> where Value == String? {
        coercing(name)
    }

    /// A key that reads a URL from a path too; `nil` where there is none.
    public static func url(coercing name: Defaults.KeyName) -> Defaults.Key<Value> where Value == URL? {
        coercing(name)
    }

    /// A key that reads a value from other kinds too, with its own default.
    ///
    /// - Parameters:
    ///   - name: The name under which a store has the value.
    ///   - defaultValue: The value of the key where the store has none, or one that cannot be converted.
    public static func coercing(_ name: Defaults.KeyName, default defaultValue: Value) -> Defaults.Key<Value>
    where Value: Defaults.Coercible {
        Defaults.Key(name.name, default: defaultValue, bridge: Defaults.CoercingBridge<Value>())
    }

    /// A key that reads an optional value from other kinds too.
    ///
    /// - Parameter name: The name under which a store has the value.
    public static func coercing<Wrapped: Defaults.Coercible>(_ name: Defaults.KeyName) -> Defaults.Key<Value>
    where Value == Wrapped? {
        Defaults.Key(name.name, bridge: Defaults.CoercingBridge<Wrapped>())
    }
}
