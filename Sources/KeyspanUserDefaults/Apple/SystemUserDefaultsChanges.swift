#if canImport(Darwin)
import Foundation
import KeyspanCore

/// The changes of a `UserDefaults` as Apple's systems tell of them.
///
/// Changes of a key by anyone are told by key-value observing, for which the key has to be followed. A name with a dot is a path
/// to it, and one that begins with `@` an operator, so such names cannot be followed. For them there is
/// `didChangeNotification`, which tells that something changed in this process, and the app becoming active, as other
/// processes change settings while it is not.
final class SystemUserDefaultsChanges: UserDefaultsChanges {
    private struct State {
        var observer: UserDefaultsKeyObserver?
        var followed: Set<UTF8Text> = []
        var notifications: [NotificationToken] = []
    }

    private let reference: UserDefaultsReference
    private let state = Locked(State())

    init(of reference: UserDefaultsReference) {
        self.reference = reference
    }

    func begin(_ changed: @escaping @Sendable (ObservedKeys) -> Void) {
        let observer = UserDefaultsKeyObserver(of: reference) { changed(.named([UTF8Text($0)])) }
        let names = [UserDefaults.didChangeNotification] + Self.activations
        let notifications = names.map { NotificationToken(name: $0) { _ in changed(.all) } }
        state.withLock { state in
            state.observer = observer
            state.notifications = notifications
        }
    }

    func follow(_ key: String) {
        let observer = state.withLock { state in
            Self.isObservable(key) && state.followed.insert(UTF8Text(key)).inserted ? state.observer : nil
        }
        observer?.begin(key)
    }

    func end() {
        let ended = state.withLock { state in
            defer { state = State() }
            return state
        }
        for key in ended.followed { ended.observer?.end(key.wrappedValue) }
    }

    /// Whether a name is no path and no operator of key-value coding.
    private static func isObservable(_ key: String) -> Bool {
        !key.isEmpty && !key.utf8.contains(UInt8(ascii: ".")) && key.utf8.first != UInt8(ascii: "@")
    }

    /// What UIKit and AppKit post when the app becomes active; by name, because neither is needed for anything else.
    private static let activations = [
        Notification.Name("UIApplicationDidBecomeActiveNotification"),
        Notification.Name("NSApplicationDidBecomeActiveNotification"),
    ]
}
#endif
