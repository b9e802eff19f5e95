extension Defaults {
    /// Removes the values of these keys in one batch, so that each has its default again.
    ///
    /// A store that refuses is reported to ``onProblem(_:)``, and the values stay.
    public func reset(_ keys: AnyKey...) {
        reset(keys)
    }

    /// Removes the values of these keys in one batch, so that each has its default again.
    ///
    /// A store that refuses is reported to ``onProblem(_:)``, and the values stay.
    public func reset(_ keys: [AnyKey]) {
        reset(keys.map(\.name))
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

    /// Removes all values of the store in one batch, also those that no key of yours names.
    ///
    /// A store that refuses is reported to ``onProblem(_:)``, and the values stay.
    public func removeAll() {
        var batch = PropertyListBatch()
        batch.removeAll()
        applyReporting(batch)
    }

    /// Whether a key has the value that it would have if the store held none.
    public func isDefaultValue<Value: Serializable & Equatable>(_ key: Key<Value>) -> Bool {
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
