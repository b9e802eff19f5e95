import Foundation
@_spi(StoreAuthors) import KeyspanCore

/// Notifications of changes of a `UserDefaults`, by anyone.
protocol UserDefaultsChanges: Sendable {
    /// Begins to notify.
    ///
    /// - Parameter receive: Called on any thread, without a lock.
    func begin(_ receive: @escaping @Sendable (UserDefaultsEvent) -> Void)

    /// Includes a key from now on, if each key must be observed separately; called once for each.
    func follow(_ key: String)

    /// Ends the notifications.
    func end()
}

/// A notification about a `UserDefaults`.
enum UserDefaultsEvent: Sendable {
    /// The value of a key changed.
    case changed(key: String)
    /// Anything changed in a `UserDefaults` of this process, in the given object if it is known.
    case changedAnything(of: ObjectIdentifier?)
    /// The program became active, and other processes may have changed anything while it was not.
    case activated
}

/// The changes of a `UserDefaults` without notifications: they arrive when it is read again.
struct NoUserDefaultsChanges: UserDefaultsChanges {
    func begin(_ receive: @escaping @Sendable (UserDefaultsEvent) -> Void) {}

    func follow(_ key: String) {}

    func end() {}
}
