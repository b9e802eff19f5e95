#if canImport(Darwin)
internal import Foundation
internal import KeyspanCore

extension UbiquitousStore {
    /// The store of this program in iCloud; one for all who ask.
    ///
    /// Opening it reads what the system has on this device, and asks for what is new.
    public static var shared: UbiquitousStore { opened.published }

    private static let opened = OpenedOnce { UbiquitousStore(SystemUbiquitousValues()) }
}

/// The system's key-value store of iCloud.
final class SystemUbiquitousValues: UbiquitousValues {
    // The system's object may be used from any thread. It is asked for each time, because its type is not `Sendable`.
    private var system: NSUbiquitousKeyValueStore { .default }

    init() {
        // Reads what the system has saved on this device; no answer is needed, for it is asked again when it matters.
        _ = system.synchronize()
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
            let names = notification.userInfo?[NSUbiquitousKeyValueStoreChangedKeysKey] as? [String] ?? []
            switch notification.userInfo?[NSUbiquitousKeyValueStoreChangeReasonKey] as? Int {
            case NSUbiquitousKeyValueStoreAccountChange: receive(.accountChanged)
            case NSUbiquitousKeyValueStoreQuotaViolationChange: receive(.quotaViolated(Set<UTF8Text>(names)))
            default: receive(.changed(Set<UTF8Text>(names)))
            }
        }
        return StoreObservation { token.end() }
    }
}
#endif
