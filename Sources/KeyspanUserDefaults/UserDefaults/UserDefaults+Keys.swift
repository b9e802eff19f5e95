public import Foundation
public import KeyspanCore

/// Keys on `UserDefaults` itself, as in Defaults: `UserDefaults.standard[.launchCount]`.
extension UserDefaults {
    /// The value of a key in the store of this `UserDefaults`, whatever store the key names.
    ///
    /// Behaves like the subscript of a `Defaults`; see ``UserDefaultsStore/of(_:)``.
    public subscript<Value>(key: Defaults.Key<Value>) -> Value {
        get { Defaults(UserDefaultsStore.of(self))[key] }
        set { Defaults(UserDefaultsStore.of(self))[key] = newValue }
        _modify { yield &Defaults(UserDefaultsStore.of(self))[key] }
    }

    /// Changes the value of a key in one step: what another thread or process writes meanwhile is not lost.
    ///
    /// Behaves like the method of a `Defaults`; see ``UserDefaultsStore/of(_:)``.
    @discardableResult
    public func modify<Value, Result, Failure: Error>(
        _ key: Defaults.Key<Value>,
        _ change: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try Defaults(UserDefaultsStore.of(self)).modify(key, change)
    }

    /// Removes all values of the store of this `UserDefaults` in one batch, as `Defaults.removeAll()` does.
    public func removeAll() {
        Defaults(UserDefaultsStore.of(self)).removeAll()
    }
}
