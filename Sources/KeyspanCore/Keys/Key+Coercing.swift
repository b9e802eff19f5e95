#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Keys that convert what they find as `UserDefaults` does, by the table of ``CoercionTable``.
///
/// They are for values that come as text, and for stores that others write. What cannot be converted is reported and read
/// as the default, which is that of `UserDefaults`. Writing stores the value as it is.
extension Defaults.Key {
    /// A key that reads a truth value from other kinds too; `false` where there is none.
    public static func bool(coercing name: Defaults.KeyName) -> Defaults.Key<Value> where Value == Bool {
        coercing(name, default: false)
    }

    /// A key that reads an integer from other kinds too; 0 where there is none.
    public static func integer(coercing name: Defaults.KeyName) -> Defaults.Key<Value> where Value == Int {
        coercing(name, default: 0)
    }

    /// A key that reads a number of single precision from other kinds too; 0 where there is none.
    public static func float(coercing name: Defaults.KeyName) -> Defaults.Key<Value> where Value == Float {
        coercing(name, default: 0)
    }

    /// A key that reads a number of double precision from other kinds too; 0 where there is none.
    public static func double(coercing name: Defaults.KeyName) -> Defaults.Key<Value> where Value == Double {
        coercing(name, default: 0)
    }

    /// A key that reads a text from other kinds too; `nil` where there is none.
    public static func string(coercing name: Defaults.KeyName) -> Defaults.Key<Value> where Value == String? {
        coercing(name)
    }

    /// A key that reads a URL from a path too; `nil` where there is none.
    public static func url(coercing name: Defaults.KeyName) -> Defaults.Key<Value> where Value == URL? {
        coercing(name)
    }

    /// A key that reads a value from other kinds too, with a default of its own.
    ///
    /// - Parameters:
    ///   - name: The name under which a store has the value.
    ///   - defaultValue: The value that is read where there is none, or one that cannot be converted.
    public static func coercing(_ name: Defaults.KeyName, default defaultValue: Value) -> Defaults.Key<Value>
    where Value: Defaults.Coercible {
        Defaults.Key(name.name, default: defaultValue, bridge: Defaults.CoercingBridge<Value>())
    }

    /// A key that reads a value from other kinds too, and that may be absent.
    ///
    /// - Parameter name: The name under which a store has the value.
    public static func coercing<Wrapped: Defaults.Coercible>(_ name: Defaults.KeyName) -> Defaults.Key<Value>
    where Value == Wrapped? {
        Defaults.Key(name.name, bridge: Defaults.CoercingBridge<Wrapped>())
    }
}
