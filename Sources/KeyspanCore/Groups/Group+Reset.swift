extension Defaults.Group {
    /// Whether the store has a value for a key, readable or not.
    public func hasValue<Key: Defaults.AnyKey>(for path: KeyPath<Keys, Key>) -> Bool {
        let key = anyKey(path)
        tracker.access(key)
        return defaults.hasValue(for: key)
    }

    /// Removes the value of a key, so that it has its default again; as ``Defaults/reset(_:)-(Defaults.AnyKey...)``.
    public func reset<Key: Defaults.AnyKey>(_ path: KeyPath<Keys, Key>) {
        defaults.reset(anyKey(path))
    }

    /// Removes the values of all keys of the group in one batch, and no others.
    ///
    /// They are the keys of ``allKeys``. A value that its key cannot read is kept, see ``Defaults/keptValues()``. A store
    /// that refuses is reported to ``Defaults/onProblem(_:)``, and the values stay.
    public func resetAll() {
        defaults.reset(allKeys)
    }

    /// A key of any type, under its full name.
    private func anyKey<Key: Defaults.AnyKey>(_ path: KeyPath<Keys, Key>) -> Defaults.AnyKey {
        keys[keyPath: path].untyped.prefixed(by: prefix)
    }
}
