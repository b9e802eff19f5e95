public import Foundation
public import KeyspanCore

/// Keys of a `UserDefaults`, as in Defaults: `Key<Int>("launchCount", default: 0, suite: .standard)`.
extension Defaults.Key {
    /// Makes a key with a default that is kept in a `UserDefaults`.
    ///
    /// The default is registered there too, so that code which reads the name without the key finds it.
    ///
    /// - Parameters:
    ///   - name: The name under which the `UserDefaults` has the value.
    ///   - defaultValue: The value that is read where it has none.
    ///   - suite: The `UserDefaults`; see ``UserDefaultsStore/of(_:)``.
    ///   - iCloud: Whether the value is to be the same on all devices of a user, where there is a store for that.
    public convenience init(
        _ name: String,
        default defaultValue: Value,
        suite: UserDefaults,
        iCloud: Bool = false
    ) where Value: Defaults.Serializable {
        self.init(name, default: defaultValue, suite: UserDefaultsStore.of(suite), iCloud: iCloud)
        registerDefault()
    }

    /// Makes a key that is kept in a `UserDefaults`, and whose default is made anew for each read that finds no value.
    ///
    /// - Parameters:
    ///   - name: The name under which the `UserDefaults` has the value.
    ///   - suite: The `UserDefaults`; see ``UserDefaultsStore/of(_:)``.
    ///   - iCloud: Whether the value is to be the same on all devices of a user, where there is a store for that.
    ///   - makeDefault: Makes the default; called on the thread that reads.
    public convenience init(
        _ name: String,
        suite: UserDefaults,
        iCloud: Bool = false,
        default makeDefault: @escaping @Sendable () -> Value
    ) where Value: Defaults.Serializable {
        self.init(name, suite: UserDefaultsStore.of(suite), iCloud: iCloud, default: makeDefault)
    }

    /// Makes a key for a value that may be absent, and that is kept in a `UserDefaults`.
    ///
    /// - Parameters:
    ///   - name: The name under which the `UserDefaults` has the value.
    ///   - suite: The `UserDefaults`; see ``UserDefaultsStore/of(_:)``.
    ///   - iCloud: Whether the value is to be the same on all devices of a user, where there is a store for that.
    public convenience init<Wrapped>(
        _ name: String,
        suite: UserDefaults,
        iCloud: Bool = false
    ) where Value == Wrapped?, Wrapped: Defaults.Serializable {
        self.init(name, suite: UserDefaultsStore.of(suite), iCloud: iCloud)
    }

    /// Registers the default in the store of the key; there is no one to throw an error to, so that is reported.
    private func registerDefault() {
        guard let suite else { return }
        do {
            try Defaults(suite).register(self)
        } catch {
            Defaults.Problem.writeFailed(error).report()
        }
    }
}
