#if canImport(Darwin)
import Foundation

/// A registration for a notification, which ends when it is released, if not before.
// Unchecked: the token is a constant that is only ever handed back to the notification center, which is thread-safe.
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
