extension Defaults {
    /// Removes the values of these keys in one batch, so that each key has its default again.
    ///
    /// Values that their keys cannot use are kept, see ``keptValues()``. If the store refuses, that is reported to
    /// ``onProblem(_:)``, and the values stay.
    public func reset(_ keys: AnyKey...) {
        reset(keys)
    }

    /// Removes the values of these keys in one batch, so that each key has its default again.
    ///
    /// Values that their keys cannot use are kept, see ``keptValues()``. If the store refuses, that is reported to
    /// ``onProblem(_:)``, and the values stay.
    public func reset(_ keys: [AnyKey]) {
        reporting { () throws(StoreError) in
            try store.edit { edit in
                for key in keys { key.remove(from: &edit) }
            }
        }
    }

    /// Removes the values with these names in one batch.
    ///
    /// If the store refuses, or a name is that of a record of the library itself, that is reported to ``onProblem(_:)``, and all values
    /// stay.
    public func reset(_ names: [String]) {
        reporting { () throws(StoreError) in
            try store.edit { edit in
                for name in names { edit[name] = nil }
            }
        }
    }

    /// Removes all values of the store in one batch, including values that no key names, and kept values.
    ///
    /// The record of migrations stays, so that values written afterwards are not migrated again. If the store refuses, that is
    /// reported to ``onProblem(_:)``, and the values stay.
    public func removeAll() {
        reporting { () throws(StoreError) in
            try store.edit(
                { (edit) throws(StoreError) in edit.removeAllButRecord() },
                storeFailure: { $0 }
            )
        }
    }

    /// Whether a key has the value that it would have in an empty store.
    public func isDefaultValue<Value: Equatable>(_ key: Key<Value>) -> Bool {
        self[key] == key.defaultValue
    }

    private func reporting(_ change: () throws(StoreError) -> Void) {
        do {
            try change()
        } catch {
            Problem.storeFailed(error).report()
        }
    }
}

extension PropertyListStore {
    /// Removes all values of the store in one batch, as ``Defaults/removeAll()`` does.
    public func removeAll() {
        Defaults(self).removeAll()
    }
}
