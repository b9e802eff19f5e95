#if !canImport(Darwin)
import Foundation
import KeyspanCore

/// Posts `UserDefaults.didChangeNotification` for the changes of a store, as Apple's systems do by themselves.
///
/// Posted on the thread that hears the change, with the `UserDefaults` as the object.
final class ChangeNotifications: Sendable {
    private let observation: StoreObservation

    /// Begins to post.
    init(of store: any PropertyListStore, object reference: UserDefaultsReference) {
        observation = store.observe(.all, initial: false) { _ in
            NotificationCenter.default.post(name: UserDefaults.didChangeNotification, object: reference.defaults)
        }
    }
}

extension UserDefaultsReference {
    /// Posts what no one else posts here for the changes of a store, as long as the result lives.
    func notifications(of store: any PropertyListStore) -> (any Sendable)? {
        ChangeNotifications(of: store, object: self)
    }
}
#endif
