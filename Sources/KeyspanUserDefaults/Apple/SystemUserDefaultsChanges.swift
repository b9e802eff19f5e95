#if canImport(Darwin)
import Foundation
import KeyspanCore

/// The notifications of Apple's systems for changes of a `UserDefaults`.
///
/// Key-value observing reports changes of a single key by any code. It treats a name with a dot as a path, and one that begins
/// with `@` as an operator, so such names cannot be observed. For them there is `didChangeNotification`, which reports a change
/// of any value in this process, and the activation of the app, because other processes change settings while it is inactive.
final class SystemUserDefaultsChanges: UserDefaultsChanges {
    private struct State {
        var observer: UserDefaultsKeyObserver?
        var followed: [String] = []
        var notifications: [NotificationToken] = []
    }

    private let reference: UserDefaultsReference
    private let observesKeys: Bool
    private let state = Locked(State())

    init(of reference: UserDefaultsReference, observingKeys: Bool) {
        self.reference = reference
        observesKeys = observingKeys
    }

    func begin(_ receive: @escaping @Sendable (UserDefaultsEvent) -> Void) {
        let observer = UserDefaultsKeyObserver(of: reference) { receive(.changed(key: $0)) }
        let anything = NotificationToken(name: UserDefaults.didChangeNotification) { notification in
            receive(.changedAnything(of: (notification.object as? UserDefaults).map { ObjectIdentifier($0) }))
        }
        let activations = Self.activations.map { NotificationToken(name: $0) { _ in receive(.activated) } }
        let replaced = state.withLock { state in
            defer { (state.observer, state.notifications) = (observer, activations + [anything]) }
            return state
        }
        // Released here, not under the lock.
        withExtendedLifetime(replaced) {}
    }

    func follow(_ key: String) {
        let observer = state.withLock { state in
            guard observesKeys, Self.isObservable(key), let observer = state.observer else {
                return nil as UserDefaultsKeyObserver?
            }
            state.followed.append(key)
            return observer
        }
        observer?.begin(key)
    }

    func end() {
        let ended = state.withLock { state in
            defer { state = State() }
            return state
        }
        for key in ended.followed { ended.observer?.end(key) }
        // Key-value observing does not retain its observers, and another thread may be calling this one. So it is never released.
        _ = ended.observer.map(Unmanaged.passRetained)
    }

    /// Whether a name is neither a path nor an operator of key-value coding.
    private static func isObservable(_ key: String) -> Bool {
        !key.isEmpty && !key.utf8.contains(UInt8(ascii: ".")) && key.utf8.first != UInt8(ascii: "@")
    }

    /// The notifications of apps and app extensions that become active, and of values that can be read only after the device was
    /// unlocked; by name, to spare the imports.
    private static let activations = [
        "UIApplicationDidBecomeActiveNotification", "NSApplicationDidBecomeActiveNotification",
        "WKApplicationDidBecomeActiveNotification", "NSExtensionHostDidBecomeActiveNotification",
        "UIApplicationProtectedDataDidBecomeAvailable",
    ].map { Notification.Name($0) }
}

/// Observes keys of a `UserDefaults` by key-value observing.
final class UserDefaultsKeyObserver: NSObject, Sendable {
    private let reference: UserDefaultsReference
    private let changed: @Sendable (String) -> Void

    init(of reference: UserDefaultsReference, _ changed: @escaping @Sendable (String) -> Void) {
        self.reference = reference
        self.changed = changed
    }

    func begin(_ key: String) {
        reference.defaults.addObserver(self, forKeyPath: key, options: [], context: nil)
    }

    func end(_ key: String) {
        reference.defaults.removeObserver(self, forKeyPath: key, context: nil)
    }

    override func observeValue(
        forKeyPath keyPath: String?,
        of object: Any?,
        change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        if let keyPath { changed(keyPath) }
    }
}

/// A registration for a notification, which ends at the latest when it is released.
// Unchecked: the token is a constant that is only passed back to the notification center, which is thread-safe.
final class NotificationToken: @unchecked Sendable {
    private let token: any NSObjectProtocol

    init(name: Notification.Name, _ receive: @escaping @Sendable (Notification) -> Void) {
        token = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil, using: receive)
    }

    /// Ends the registration.
    func end() {
        NotificationCenter.default.removeObserver(token)
    }

    deinit {
        NotificationCenter.default.removeObserver(token)
    }
}
#endif
