/// Keys on the store itself, for code that has a store at hand where it had `UserDefaults`.
extension PropertyListStore {
    /// The value of a key in this store, as the subscript of a ``Defaults`` reads and writes it.
    public subscript<Value>(key: Defaults.Key<Value>) -> Value {
        get { Defaults(self)[key] }
        set { Defaults(self)[key] = newValue }
    }

    /// Removes all values of the store in one batch, as ``Defaults/removeAll()`` does.
    public func removeAll() {
        Defaults(self).removeAll()
    }
}
