/// Keys on the store itself, for code that has a store at hand where it had `UserDefaults`.
extension PropertyListStore {
    /// The value of a key in this store, as the subscript of a ``Defaults`` reads and writes it.
    public subscript<Value>(key: Defaults.Key<Value>) -> Value {
        get { Defaults(self)[key] }
        set { Defaults(self)[key] = newValue }
        _modify { yield &Defaults(self)[key] }
    }

    /// Changes the value of a key in one step, as ``Defaults/modify(_:_:)-(Defaults.Key<Value>,_)`` does.
    @discardableResult
    public func modify<Value, Result, Failure: Error>(
        _ key: Defaults.Key<Value>,
        _ change: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try Defaults(self).modify(key, change)
    }

    /// Removes all values of the store in one batch, as ``Defaults/removeAll()`` does.
    public func removeAll() {
        Defaults(self).removeAll()
    }
}
