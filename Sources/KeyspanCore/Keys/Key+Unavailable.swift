/// Declarations that are mistakes, so that the compiler says what is wrong and what to write instead.
///
/// They are disfavored: an initializer that takes the same arguments comes before them.
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

    @available(*, unavailable, message: "a dictionary's keys need a text: a raw value, or 'LosslessStringConvertible'")
    @_disfavoredOverload
    public convenience init<Name, Element>(
        _ name: String,
        default defaultValue: Value,
        suite: (any PropertyListStore)? = nil,
        iCloud: Bool = false
    ) where Value == [Name: Element], Element: Defaults.Serializable {
        // Never reached: the compiler refuses each use.
        preconditionFailure("unavailable")
    }

    @available(*, unavailable, message: "a dictionary's keys need a text: a raw value, or 'LosslessStringConvertible'")
    @_disfavoredOverload
    public convenience init<Name, Element>(
        _ name: String,
        suite: (any PropertyListStore)? = nil,
        iCloud: Bool = false
    ) where Value == [Name: Element]?, Element: Defaults.Serializable {
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
        suite: (any PropertyListStore)? = nil,
        iCloud: Bool = false
    ) where Value == [Any]? {
        // Never reached: the compiler refuses each use.
        preconditionFailure("unavailable")
    }

    @available(*, unavailable, message: "no store holds 'Any': use 'Defaults.AnySerializable'")
    @_disfavoredOverload
    public convenience init(
        _ name: String,
        suite: (any PropertyListStore)? = nil,
        iCloud: Bool = false
    ) where Value == [String: Any]? {
        // Never reached: the compiler refuses each use.
        preconditionFailure("unavailable")
    }

    // Not unavailable, because the compiler prefers any other initializer to one that is, and there is one for optionals.

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
