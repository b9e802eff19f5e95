#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Keys by the kind of what they store, without a default.
///
/// No value is coerced: one of another kind is reported, and read as `nil`.
extension Defaults.Key {
    /// A key for a truth value that may be absent.
    public static func bool(_ name: Defaults.KeyName) -> Defaults.Key<Value> where Value == Bool? { plain(name) }

    /// A key for an integer that may be absent.
    public static func integer(_ name: Defaults.KeyName) -> Defaults.Key<Value> where Value == Int? { plain(name) }

    /// A key for a number of single precision that may be absent.
    public static func float(_ name: Defaults.KeyName) -> Defaults.Key<Value> where Value == Float? { plain(name) }

    /// A key for a number of double precision that may be absent.
    public static func double(_ name: Defaults.KeyName) -> Defaults.Key<Value> where Value == Double? { plain(name) }

    /// A key for a point in time that may be absent.
    public static func date(_ name: Defaults.KeyName) -> Defaults.Key<Value> where Value == Date? { plain(name) }

    /// A key for a text that may be absent.
    public static func string(_ name: Defaults.KeyName) -> Defaults.Key<Value> where Value == String? { plain(name) }

    /// A key for bytes that may be absent.
    public static func data(_ name: Defaults.KeyName) -> Defaults.Key<Value> where Value == Data? { plain(name) }

    private static func plain<Wrapped: Defaults.Serializable>(_ name: Defaults.KeyName) -> Defaults.Key<Value>
    where Value == Wrapped? {
        Defaults.Key(name)
    }
}
