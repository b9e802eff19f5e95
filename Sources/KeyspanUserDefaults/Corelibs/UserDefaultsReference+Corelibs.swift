#if !canImport(Darwin)
import Foundation
import KeyspanCore

/// The identity of a `UserDefaults`: its suite, because all objects of a suite show the same values.
enum UserDefaultsIdentity: Hashable {
    /// `UserDefaults.standard`, or another object without a suite name.
    case standard
    /// A suite with a name.
    case suite(UTF8Text)
    /// A subclass, which may show any values.
    case object(ObjectIdentifier)

    /// The identity of a `UserDefaults` that lives as long as this is used.
    init(of reference: UserDefaultsReference) {
        let defaults = reference.defaults
        // Only this private property gives the name. Without it the file is unknown.
        let property = Mirror(reflecting: defaults).children.first { $0.label == "suite" }
        guard type(of: defaults) == UserDefaults.self, let property else {
            self = .object(ObjectIdentifier(defaults))
            return
        }
        self = (property.value as? String).map { .suite(UTF8Text($0)) } ?? .standard
    }
}

/// Posts `UserDefaults.didChangeNotification` for the changes of a store, as Apple's systems do by themselves.
///
/// The notification is posted on the thread that delivers the change, with the `UserDefaults` as its object.
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
    /// Posts notifications for the changes of a store as long as the result lives.
    func notifications(of store: any PropertyListStore) -> (any Sendable)? {
        ChangeNotifications(of: store, object: self)
    }
}

extension RegistrationSource {
    /// The registered defaults of this process.
    ///
    /// The registration domain has no name here, but a suite without values shows only registered defaults.
    static let ofProcess = RegistrationSource(of: { .standard }) {
        UserDefaults(suiteName: emptySuite)?.dictionaryRepresentation() ?? [:]
    }

    /// The name of a suite that does not exist.
    private static let emptySuite = "org.keyspan.empty-\(UUID().uuidString)"
}
#endif
