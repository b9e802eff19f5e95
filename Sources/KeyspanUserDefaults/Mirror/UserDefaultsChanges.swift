import KeyspanCore

/// Tells what others change in a `UserDefaults`.
protocol UserDefaultsChanges: Sendable {
    /// Begins to tell.
    ///
    /// - Parameter changed: Called on any thread, without a lock, with the keys that have changed; `all` if they are not known.
    func begin(_ changed: @escaping @Sendable (ObservedKeys) -> Void)

    /// Tells of this key too from now on, if it takes an effort of its own; called often.
    func follow(_ key: String)

    /// Tells nothing any more.
    func end()
}
