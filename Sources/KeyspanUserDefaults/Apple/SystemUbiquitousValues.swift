#if canImport(Darwin)
internal import Foundation
@_spi(StoreAuthors) internal import KeyspanCore

extension UbiquitousStore {
    /// The shared iCloud store of this program.
    ///
    /// Opening it reads the values that the system has on this device, and requests newer ones.
    public static var shared: UbiquitousStore { opened.published }

    private static let opened = OpenedOnce { UbiquitousStore(SystemUbiquitousValues()) }
}

/// The system's key-value store of iCloud.
final class SystemUbiquitousValues: UbiquitousValues {
    // The system's object may be used from any thread. It is fetched each time, because its type is not `Sendable`.
    private var system: NSUbiquitousKeyValueStore { .default }

    // The token is opaque, and equal tokens have equal archives as far as anybody knows. If they had not, it would be as if the user
    // had left the account and come back.
    var accountIdentity: Data? {
        guard let token = FileManager.default.ubiquityIdentityToken else { return nil }
        return try? NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: false)
    }

    func entries(_ names: Set<UTF8Text>?) -> TextDictionary<UbiquitousEntry> {
        let objects: [String: Any] =
            if let names {
                names.reduce(into: [:]) { $0[$1.wrappedValue] = system.object(forKey: $1.wrappedValue) }
            } else {
                system.dictionaryRepresentation
            }
        var entries: TextDictionary<UbiquitousEntry> = [:]
        for (name, object) in objects {
            do {
                entries[name] = .value(try FoundationValue.value(object))
            } catch {
                entries[name] = .foreign(reason: String(describing: error))
            }
        }
        return entries
    }

    func set(_ value: PropertyListValue?, forKey key: String) {
        if let value {
            system.set(FoundationValue.object(value), forKey: key)
        } else {
            system.removeObject(forKey: key)
        }
    }

    func synchronize() -> Bool { system.synchronize() }

    func observe(_ receive: @escaping @Sendable (UbiquitousChange) -> Void) -> StoreObservation {
        let token = NotificationToken(name: NSUbiquitousKeyValueStore.didChangeExternallyNotification) { notification in
            // A notification need not have either entry.
            let names = (notification.userInfo?[NSUbiquitousKeyValueStoreChangedKeysKey] as? [String]).map(
                Set<UTF8Text>.init
            )
            switch notification.userInfo?[NSUbiquitousKeyValueStoreChangeReasonKey] as? Int {
            // The first download begins when the user signs in, also to another account.
            case NSUbiquitousKeyValueStoreAccountChange, NSUbiquitousKeyValueStoreInitialSyncChange:
                receive(.accountChanged)
            case NSUbiquitousKeyValueStoreQuotaViolationChange: receive(.quotaViolated(names ?? []))
            default: receive(.changed(names.map { .named($0) } ?? .all))
            }
        }
        // Reads the values that the system has saved on this device, after the registration, because it can notify of changes.
        // A failure does not matter yet; `synchronize()` reports it.
        _ = system.synchronize()
        return StoreObservation { token.end() }
    }
}
#endif
