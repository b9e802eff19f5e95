extension Defaults {
    /// Removes the values of these keys in one batch, so that each has its default again.
    ///
    /// A value that its key cannot read is kept, see ``keptValues()``. A store that refuses is reported to
    /// ``onProblem(_:)``, and the values stay.
    public func reset(_ keys: AnyKey...) {
        reset(keys)
    }

    /// Removes the values of these keys in one batch, so that each has its default again.
    ///
    /// A value that its key cannot read is kept, see ``keptValues()``. A store that refuses is reported to
    /// ``onProblem(_:)``, and the values stay.
    public func reset(_ keys: [AnyKey]) {
        do {
            try store.edit { edit in
                for key in keys {
                    key.untyped.remove(from: &edit)
                }
            }
        } catch {
            Problem.storeFailed(error).report()
        }
    }

    /// Removes the values of the keys of these names in one batch.
    ///
    /// A store that refuses is reported to ``onProblem(_:)``, and the values stay.
    public func reset(_ names: [String]) {
        var batch = PropertyListBatch()
        for name in names {
            batch.remove(name)
        }
        applyReporting(batch)
    }

    /// Removes all values of the store in one batch, also those that no key of yours names, and kept values.
    ///
    /// The record of migrations stays, so that what is written afterwards is not migrated once more. A store that refuses is reported to ``onProblem(_:)``, and the values stay.
    public func removeAll() {
        do {
            try store.edit(
                { (edit) throws(StoreError) in edit.removeAllButRecord() },
                isPlainWrite: true,
                storeFailure: { $0 }
            )
        } catch {
            Problem.storeFailed(error).report()
        }
    }

    /// Whether a key has the value that it would have if the store held none.
    public func isDefaultValue<Value: Equatable>(_ key: Key<Value>) -> Bool {
        self[key] == key.defaultValue
    }

    private func applyReporting(_ batch: PropertyListBatch) {
        do {
            try store.apply(batch)
        } catch {
            Problem.storeFailed(error).report()
        }
    }
}
