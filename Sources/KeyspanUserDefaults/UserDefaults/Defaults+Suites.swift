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

/// Batches and snapshots of a `UserDefaults`.
extension Defaults {
    /// Writes several values of a `UserDefaults` in one batch; as the method of instances.
    ///
    /// - Parameters:
    ///   - suite: The `UserDefaults`; see ``UserDefaultsStore/of(_:)``.
    ///   - change: Makes the batch; it can be called more than once.
    public static func update(suite: UserDefaults, _ change: (inout Batch) -> Void) {
        Defaults(UserDefaultsStore.of(suite)).update(change)
    }

    /// Writes several values of a `UserDefaults` in one batch, or throws and changes nothing; as the method of instances.
    ///
    /// - Parameters:
    ///   - suite: The `UserDefaults`; see ``UserDefaultsStore/of(_:)``.
    ///   - change: Makes the batch; it can be called more than once. An error that it throws ends the batch.
    /// - Returns: What the closure returns.
    /// - Throws: The closure's error, or `WriteError` if a value cannot be written or the store refuses.
    @discardableResult
    public static func commit<Result>(
        suite: UserDefaults,
        _ change: (inout Batch) throws -> Result
    ) throws -> Result {
        try Defaults(UserDefaultsStore.of(suite)).commit(change)
    }

    /// All values of a `UserDefaults` as they are at one instant between two batches.
    ///
    /// - Parameter suite: The `UserDefaults`; see ``UserDefaultsStore/of(_:)``.
    public static func snapshot(suite: UserDefaults) -> Snapshot {
        Defaults(UserDefaultsStore.of(suite)).snapshot()
    }
}
