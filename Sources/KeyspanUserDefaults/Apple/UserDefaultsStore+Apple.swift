#if canImport(Darwin)
import Foundation
import KeyspanCore

extension UserDefaultsStore {
    /// Opens a suite by name.
    convenience init(_ suite: SuiteName) throws(StoreError) {
        // Foundation refuses the identifier of the app itself, whose values are those of `UserDefaults.standard`.
        guard let defaults = UserDefaults(suiteName: suite.text) else {
            throw StoreError(
                .invalidSuiteName,
                store: suite.storeName,
                reason: "UserDefaults refuses the name",
                remedy: "for the identifier of the app itself use UserDefaultsStore.standard"
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

/// What a `UserDefaults` is known by: the object, because it does not tell its suite.
struct UserDefaultsIdentity: Hashable {
    private let object: ObjectIdentifier

    /// The identity of a `UserDefaults` that lives as long as this is used.
    init(of reference: UserDefaultsReference) {
        object = ObjectIdentifier(reference.defaults)
    }
}

extension UserDefaultsReference {
    /// Nothing: the system posts `didChangeNotification`.
    func notifications(of store: any PropertyListStore) -> (any Sendable)? { nil }
}

extension RegistrationSource {
    /// What is registered in this process.
    static func registeredObjects() -> [String: Any] {
        UserDefaults.standard.volatileDomain(forName: UserDefaults.registrationDomain)
    }
}
#endif
