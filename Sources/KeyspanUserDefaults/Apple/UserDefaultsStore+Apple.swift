#if canImport(Darwin)
import Foundation
@_spi(StoreAuthors) import KeyspanCore

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
        self.init(system: UserDefaultsReference(defaults), domain: suite.text, name: suite.storeName)
    }

    /// Opens the suite of a `UserDefaults`.
    convenience init(
        opening reference: UserDefaultsReference,
        isShared: Bool = false,
        observingKeys: Bool = true
    ) throws(StoreError) {
        let isStandard = reference.defaults === UserDefaults.standard
        self.init(
            system: reference,
            domain: isStandard ? Bundle.main.bundleIdentifier : nil,
            name: isStandard ? "UserDefaults.standard" : "UserDefaults",
            observingKeys: isStandard || observingKeys
        )
    }

    private convenience init(
        system reference: UserDefaultsReference,
        domain: String?,
        name: String,
        observingKeys: Bool = true
    ) {
        self.init(
            mirroring: reference,
            domain: domain,
            name: name,
            changes: SystemUserDefaultsChanges(of: reference, observingKeys: observingKeys)
        )
    }
}

/// The identity of a `UserDefaults`.
enum UserDefaultsIdentity: Hashable {
    /// `UserDefaults.standard`.
    case standard
    /// Another object, because its suite is unknown.
    case object(ObjectIdentifier)

    /// The identity of a `UserDefaults` that lives as long as this is used.
    init(of reference: UserDefaultsReference) {
        let object = reference.defaults
        self = object === UserDefaults.standard ? .standard : .object(ObjectIdentifier(object))
    }
}

extension UserDefaultsReference {
    /// Returns `nil`, because the system posts `didChangeNotification`.
    func notifications(of store: any PropertyListStore) -> (any Sendable)? { nil }
}

extension RegistrationSource {
    /// The registered defaults of this process.
    static let ofProcess = RegistrationSource(of: { .standard }) {
        UserDefaults.standard.volatileDomain(forName: UserDefaults.registrationDomain)
    }
}
#endif
