#if canImport(Darwin)
import Foundation
import KeyspanCore

extension UserDefaultsStore {
    /// Opens a suite by name.
    convenience init(_ suite: SuiteName) throws(StoreError) {
        // Foundation rejects the identifier of the app itself, whose values are those of `UserDefaults.standard`.
        guard let defaults = UserDefaults(suiteName: suite.text) else {
            throw StoreError(
                .invalidSuiteName,
                store: suite.storeName,
                reason: "UserDefaults rejects the name",
                remedy: "for the identifier of the app itself, use UserDefaultsStore.standard"
            )
        }
        self.init(UserDefaultsReference(defaults), name: suite.storeName)
    }

    /// Opens the suite of a `UserDefaults`.
    convenience init(opening reference: UserDefaultsReference, isShared: Bool = false) throws(StoreError) {
        self.init(
            reference,
            name: reference.defaults === UserDefaults.standard ? "UserDefaults.standard" : "UserDefaults"
        )
    }

    private convenience init(_ reference: UserDefaultsReference, name: String) {
        let domain = MirroredDomain(reference, name: name, changes: SystemUserDefaultsChanges(of: reference))
        self.init(name: name, values: domain, source: domain)
    }
}

/// The identity of a `UserDefaults`: the object, because its suite is unknown.
struct UserDefaultsIdentity: Hashable {
    private let object: ObjectIdentifier

    /// The identity of a `UserDefaults` that lives as long as this is used.
    init(of reference: UserDefaultsReference) {
        object = ObjectIdentifier(reference.defaults)
    }
}

extension UserDefaultsReference {
    /// Returns `nil`, because the system posts `didChangeNotification`.
    func notifications(of store: any PropertyListStore) -> (any Sendable)? { nil }
}

extension RegistrationSource {
    /// The registered defaults of this process.
    static func registeredObjects() -> [String: Any] {
        UserDefaults.standard.volatileDomain(forName: UserDefaults.registrationDomain)
    }
}
#endif
