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
    }
}
