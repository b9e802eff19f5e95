public import Foundation
public import KeyspanCore

/// The static members of Defaults that take a `UserDefaults` as their suite.
///
/// Those for another store, and those for the standard store, come with `import Keyspan`.
extension Defaults {
    /// Removes all values of a `UserDefaults` in one batch, also those that no key of yours names.
    ///
    /// Registered defaults and launch arguments stay. A store that refuses is reported to `onProblem(_:)`, and the values stay.
    ///
    /// - Parameter suite: The `UserDefaults`; see ``UserDefaultsStore/of(_:)``.
    public static func removeAll(suite: UserDefaults) {
        Defaults(UserDefaultsStore.of(suite)).removeAll()
    }

    /// Removes the values that a `UserDefaults` has for these keys in one batch, so that each has its default again.
    ///
    /// - Parameters:
    ///   - keys: The keys, whatever store they name.
    ///   - suite: The `UserDefaults`; see ``UserDefaultsStore/of(_:)``.
    public static func reset(_ keys: AnyKey..., suite: UserDefaults) {
        reset(keys, suite: suite)
    }

    /// Removes the values that a `UserDefaults` has for these keys in one batch, so that each has its default again.
    ///
    /// - Parameters:
    ///   - keys: The keys, whatever store they name.
    ///   - suite: The `UserDefaults`; see ``UserDefaultsStore/of(_:)``.
    public static func reset(_ keys: [AnyKey], suite: UserDefaults) {
        Defaults(UserDefaultsStore.of(suite)).reset(keys)
    }

    /// Removes the values that a `UserDefaults` has under these names in one batch.
    ///
    /// - Parameters:
    ///   - names: The names.
    ///   - suite: The `UserDefaults`; see ``UserDefaultsStore/of(_:)``.
    public static func reset(_ names: String..., suite: UserDefaults) {
        reset(names, suite: suite)
    }

    /// Removes the values that a `UserDefaults` has under these names in one batch.
    ///
    /// - Parameters:
    ///   - names: The names.
    ///   - suite: The `UserDefaults`; see ``UserDefaultsStore/of(_:)``.
    public static func reset(_ names: [String], suite: UserDefaults) {
        Defaults(UserDefaultsStore.of(suite)).reset(names)
    }
}
