public import Foundation
public import KeyspanCore

/// Keys on `UserDefaults` itself, as in Defaults: `UserDefaults.standard[.launchCount]`.
extension UserDefaults {
    /// The value of a key in the store of this `UserDefaults`; a store that the key names is ignored.
    ///
    /// Behaves like the subscript of a `Defaults`; see ``UserDefaultsStore/of(_:)``.
    public subscript<Value>(key: Defaults.Key<Value>) -> Value {
        get { Defaults(UserDefaultsStore.of(self))[key] }
        set { Defaults(UserDefaultsStore.of(self))[key] = newValue }
        _modify { yield &Defaults(UserDefaultsStore.of(self))[key] }
    }

    /// Changes the value of a key in one step, without losing concurrent changes through the same store.
    ///
    /// On Linux, changes by other processes are not lost either. On Apple's systems `UserDefaults` has no such operation: the value
    /// is read from it right before the write, and what other code or another process writes in between is replaced. Behaves like the method of a `Defaults`; see ``UserDefaultsStore/of(_:)``.
    public func modify<Value, Failure: Error>(
        _ key: Defaults.Key<Value>,
        _ change: (inout Value) throws(Failure) -> Void
    ) throws(Failure) {
        try Defaults(UserDefaultsStore.of(self)).modify(key, change)
    }

    /// Removes all values of the store of this `UserDefaults` in one batch, like `Defaults.removeAll()`.
    public func removeAll() {
        Defaults(UserDefaultsStore.of(self)).removeAll()
    }
}

/// The static members of Defaults that take a `UserDefaults` as their suite.
///
/// `import Keyspan` adds the members for other stores and for the standard store. Reach everything else through
/// `Defaults(UserDefaultsStore.of(suite))`.
extension Defaults {
    /// Removes all values of a `UserDefaults` in one batch, including values without a key.
    ///
    /// Registered defaults and launch arguments stay. If the store rejects the batch, the error is reported to `onProblem(_:)` and
    /// the values stay.
    ///
    /// - Parameter suite: The `UserDefaults`; see ``UserDefaultsStore/of(_:)``.
    public static func removeAll(suite: UserDefaults) {
        Defaults(UserDefaultsStore.of(suite)).removeAll()
    }

    /// Removes the values of keys from a `UserDefaults` in one batch, so that each key has its default again.
    ///
    /// - Parameters:
    ///   - keys: The keys; stores that they name are ignored.
    ///   - suite: The `UserDefaults`; see ``UserDefaultsStore/of(_:)``.
    public static func reset(_ keys: AnyKey..., suite: UserDefaults) {
        reset(keys, suite: suite)
    }

    /// Removes the values of keys from a `UserDefaults` in one batch, so that each key has its default again.
    ///
    /// - Parameters:
    ///   - keys: The keys; stores that they name are ignored.
    ///   - suite: The `UserDefaults`; see ``UserDefaultsStore/of(_:)``.
    public static func reset(_ keys: [AnyKey], suite: UserDefaults) {
        Defaults(UserDefaultsStore.of(suite)).reset(keys)
    }

    /// Removes the values with these names from a `UserDefaults` in one batch.
    ///
    /// - Parameters:
    ///   - names: The names.
    ///   - suite: The `UserDefaults`; see ``UserDefaultsStore/of(_:)``.
    public static func reset(_ names: String..., suite: UserDefaults) {
        reset(names, suite: suite)
    }

    /// Removes the values with these names from a `UserDefaults` in one batch.
    ///
    /// - Parameters:
    ///   - names: The names.
    ///   - suite: The `UserDefaults`; see ``UserDefaultsStore/of(_:)``.
    public static func reset(_ names: [String], suite: UserDefaults) {
        Defaults(UserDefaultsStore.of(suite)).reset(names)
    }
}

/// Keys of a `UserDefaults`, as in Defaults: `Key<Int>("launchCount", default: 0, suite: .standard)`.
extension Defaults.Key {
    /// Makes a key of a `UserDefaults`, with a default.
    ///
    /// The default is also registered with `UserDefaults`, so that code that reads the name without the key finds it.
    ///
    /// - Parameters:
    ///   - name: The name of the value in the `UserDefaults`.
    ///   - defaultValue: The value to read if none is stored.
    ///   - suite: The `UserDefaults`; see ``UserDefaultsStore/of(_:)``.
    ///   - iCloud: Whether to synchronize the value between a user's devices, if there is a store for that.
    public convenience init(
        _ name: String,
        default defaultValue: Value,
        suite: UserDefaults,
        iCloud: Bool = false
    ) where Value: Defaults.Serializable {
        self.init(name, default: defaultValue, suite: UserDefaultsStore.of(suite), iCloud: iCloud)
        registerDefault()
    }

    /// Makes a key of a `UserDefaults` whose default is computed for each read that finds no value.
    ///
    /// - Parameters:
    ///   - name: The name of the value in the `UserDefaults`.
    ///   - suite: The `UserDefaults`; see ``UserDefaultsStore/of(_:)``.
    ///   - iCloud: Whether to synchronize the value between a user's devices, if there is a store for that.
    ///   - makeDefault: Computes the default; called on the thread that reads.
    public convenience init(
        _ name: String,
        suite: UserDefaults,
        iCloud: Bool = false,
        default makeDefault: @escaping @Sendable () -> Value
    ) where Value: Defaults.Serializable {
        self.init(name, suite: UserDefaultsStore.of(suite), iCloud: iCloud, default: makeDefault)
    }

    /// Makes a key of a `UserDefaults` for a value that may be absent.
    ///
    /// - Parameters:
    ///   - name: The name of the value in the `UserDefaults`.
    ///   - suite: The `UserDefaults`; see ``UserDefaultsStore/of(_:)``.
    ///   - iCloud: Whether to synchronize the value between a user's devices, if there is a store for that.
    public convenience init<Wrapped>(
        _ name: String,
        suite: UserDefaults,
        iCloud: Bool = false
    ) where Value == Wrapped?, Wrapped: Defaults.Serializable {
        self.init(name, suite: UserDefaultsStore.of(suite), iCloud: iCloud)
    }

    /// Registers the default in the store of the key, and reports an error, because a key's initializer throws none.
    private func registerDefault() {
        guard let suite else { return }
        do {
            try Defaults(suite).register(self)
        } catch {
            Defaults.Problem.writeFailed(error).report()
        }
    }
}
