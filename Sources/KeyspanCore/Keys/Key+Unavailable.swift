/// Declarations that are mistakes, so that the compiler explains them and suggests a correction.
///
/// They are disfavored, so any other initializer that takes the same arguments is preferred.
extension Defaults.Key {
    @available(*, unavailable, message: "a value without a default is optional: add 'default:', or write 'Key<Value?>'")
    @_disfavoredOverload
    public convenience init(
        _ name: String,
        suite: (any PropertyListStore)? = nil,
        iCloud: Bool = false
    ) where Value: Defaults.Serializable {
        // Never reached: the compiler refuses each use.
        preconditionFailure("unavailable")
    }

    @available(*, unavailable, message: "a value without a default is optional: add 'default:', or write 'Key<Value?>'")
    @_disfavoredOverload
    public convenience init<Name, Element>(
        _ name: String,
        suite: (any PropertyListStore)? = nil,
        iCloud: Bool = false
    ) where Value == [Name: Element], Element: Defaults.Serializable {
        // Never reached: the compiler refuses each use.
        preconditionFailure("unavailable")
    }

    @available(*, unavailable, message: "a dictionary's keys need a text or raw value, its values are 'Serializable'")
    @_disfavoredOverload
    public convenience init<Name, Element>(
        _ name: String,
        default defaultValue: Value,
        suite: (any PropertyListStore)? = nil,
        iCloud: Bool = false
    ) where Value == [Name: Element] {
        // Never reached: the compiler refuses each use.
        preconditionFailure("unavailable")
    }

    @available(*, unavailable, message: "a dictionary's keys need a text or raw value, its values are 'Serializable'")
    @_disfavoredOverload
    public convenience init<Name, Element>(
        _ name: String,
        suite: (any PropertyListStore)? = nil,
        iCloud: Bool = false
    ) where Value == [Name: Element]? {
        // Never reached: the compiler refuses each use.
        preconditionFailure("unavailable")
    }

    @available(*, unavailable, message: "no store holds 'Any': use 'Defaults.AnySerializable'")
    @_disfavoredOverload
    public convenience init(
        _ name: String,
        default defaultValue: Value,
        suite: (any PropertyListStore)? = nil,
        iCloud: Bool = false
    ) where Value == Any {
        // Never reached: the compiler refuses each use.
        preconditionFailure("unavailable")
    }

    @available(*, unavailable, message: "no store holds 'Any': use 'Defaults.AnySerializable'")
    @_disfavoredOverload
    public convenience init(
        _ name: String,
        suite: (any PropertyListStore)? = nil,
        iCloud: Bool = false
    ) where Value == Any? {
        // Never reached: the compiler refuses each use.
        preconditionFailure("unavailable")
    }

    @available(*, unavailable, message: "no store holds 'Any': use 'Defaults.AnySerializable'")
    @_disfavoredOverload
    public convenience init(
        _ name: String,
        default defaultValue: Value,
        suite: (any PropertyListStore)? = nil,
        iCloud: Bool = false
    ) where Value == [Any] {
        // Never reached: the compiler refuses each use.
        preconditionFailure("unavailable")
    }

    @available(*, unavailable, message: "no store holds 'Any': use 'Defaults.AnySerializable'")
    @_disfavoredOverload
    public convenience init(
        _ name: String,
        suite: (any PropertyListStore)? = nil,
        iCloud: Bool = false
    ) where Value == [Any]? {
        // Never reached: the compiler refuses each use.
        preconditionFailure("unavailable")
    }

    // Deprecated rather than unavailable, because the compiler would choose the initializer for optionals instead.

    @available(*, deprecated, message: "a store cannot tell 'nil' from an optional that has 'nil': write 'Key<Value?>'")
    public convenience init<Wrapped>(
        _ name: String,
        suite: (any PropertyListStore)? = nil,
        iCloud: Bool = false
    ) where Value == Wrapped??, Wrapped: Defaults.Serializable {
        self.init(
            name: name,
            suite: suite,
            default: .constant(nil),
            coding: .ofType,
            details: KeyDetails(iCloud: iCloud)
        )
    }
}
