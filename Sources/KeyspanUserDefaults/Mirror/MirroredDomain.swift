import Foundation
@_spi(StoreAuthors) import KeyspanCore

/// The values of a `UserDefaults` as a store: a copy in memory that is written through, and that follows the writes of others.
///
/// Reads use the copy. A batch is visible in the copy as a whole and at once; `UserDefaults` itself has no batches, so code that
/// reads it directly can see a part of one. ``UserDefaultsChanges`` reports changes by others.
final class MirroredDomain: CountingStore, MirroringStore, RefreshableSource {
    let name: String

    private let reference: UserDefaultsReference
    let mirror: MirroredTable
    private let changes: any UserDefaultsChanges

    /// Reads all values of a `UserDefaults` and begins to follow it.
    init(_ reference: UserDefaultsReference, name: String, changes: any UserDefaultsChanges) {
        self.name = name
        self.reference = reference
        self.changes = changes
        mirror = MirroredTable(of: UserDefaultsSource(reference, reports: ForeignValueReports(store: name)))
        // Before the first read, so that no change is missed in between.
        changes.begin { [weak mirror] keys in mirror?.notice(keys) }
        mirror.refresh(.all)
    }

    deinit {
        changes.end()
    }

    /// Reads all values again, to find changes without a notification.
    func refresh() {
        mirror.refresh(.all)
    }

    var revisionCells: [RevisionCells]? { mirror.contents.revisionCells }

    func revision(of stripe: KeyStripe) -> StoreRevision? { mirror.contents.revision(of: stripe) }

    func storedValue(forKey key: String) -> StoredValue? {
        changes.follow(key)
        return mirror.contents.storedValue(forKey: key)
    }

    func snapshot() -> PropertyListTable { mirror.contents.snapshot() }

    func apply(_ batch: PropertyListBatch) throws(StoreError) {
        try mirror.apply(batch, store: name)
    }

    func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        switch keys {
        case .named(let names): names.forEach { changes.follow($0.wrappedValue) }
        case .all: snapshot().forEach { changes.follow($0.key) }
        }
        return mirror.contents.observe(keys, initial: initial, receive)
    }

    func synchronize() throws(StoreError) {
        guard mirror.synchronize(by: { reference.defaults.synchronize() }) else {
            throw StoreError(
                .notDurable,
                store: name,
                reason: "UserDefaults could not save it",
                remedy: "make sure that its file and the folder around it are writable, and try again"
            )
        }
    }
}

/// The own values of a `UserDefaults`, without the launch arguments above and the registered defaults below them.
struct UserDefaultsSource: MirroredSource {
    private let reference: UserDefaultsReference
    private let reports: ForeignValueReports

    /// Makes a source of a `UserDefaults`.
    init(_ reference: UserDefaultsReference, reports: ForeignValueReports) {
        self.reference = reference
        self.reports = reports
    }

    func table() -> PropertyListTable {
        var table = PropertyListTable()
        let hidden = reference.defaults.volatileDomain(forName: UserDefaults.argumentDomain)
        for (key, object) in reference.defaults.dictionaryRepresentation() where hidden[key] == nil {
            table[key] = ownValue(of: object, forKey: key)
        }
        return table
    }

    func value(forKey key: String) -> PropertyListValue? {
        reference.defaults.object(forKey: key).flatMap { ownValue(of: $0, forKey: key) }
    }

    func isHidden(_ key: String) -> Bool {
        reference.defaults.volatileDomain(forName: UserDefaults.argumentDomain)[key] != nil
    }

    func perform(_ batch: PropertyListBatch) {
        for operation in batch.operations {
            switch operation {
            case .set(let value, let key): reference.defaults.set(FoundationValue.object(value), forKey: key)
            case .remove(let key): reference.defaults.removeObject(forKey: key)
            case .removeAll:
                for key in reference.defaults.dictionaryRepresentation().keys {
                    reference.defaults.removeObject(forKey: key)
                }
            }
        }
    }

    private func ownValue(of object: Any, forKey key: String) -> PropertyListValue? {
        let value = reports.value(of: object, forKey: key)
        // A `UserDefaults` does not distinguish an own value from a registered default; through the layers both read the same.
        return value == RegisteredDefaults.ofProcess.value(forKey: key) ? nil : value
    }
}

/// Notifications of changes that others make to a `UserDefaults`.
protocol UserDefaultsChanges: Sendable {
    /// Begins to notify.
    ///
    /// - Parameter changed: Called on any thread, without a lock, with the changed keys; `all` if they are unknown.
    func begin(_ changed: @escaping @Sendable (ObservedKeys) -> Void)

    /// Includes a key from now on, if each key must be observed separately; called often.
    func follow(_ key: String)

    /// Ends the notifications.
    func end()
}

/// The changes of a `UserDefaults` without notifications: they arrive when it is read again.
struct NoUserDefaultsChanges: UserDefaultsChanges {
    func begin(_ changed: @escaping @Sendable (ObservedKeys) -> Void) {}

    func follow(_ key: String) {}

    func end() {}
}
