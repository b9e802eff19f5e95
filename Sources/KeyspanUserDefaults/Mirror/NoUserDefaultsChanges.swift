import KeyspanCore

/// The changes of a `UserDefaults` of which nothing tells: they arrive when it is read again.
struct NoUserDefaultsChanges: UserDefaultsChanges {
    func begin(_ changed: @escaping @Sendable (ObservedKeys) -> Void) {}

    func follow(_ key: String) {}

    func end() {}
}
