import Foundation
import KeyspanCore

/// The values of a `UserDefaults` as a store: a copy in memory that is written through, and that follows what others write.
///
/// Reads use the copy. A batch is in the copy at once and whole; `UserDefaults` itself knows no batches, so code that reads it
/// directly can see a part of one. Changes by others arrive as ``UserDefaultsChanges`` tells of them.
final class MirroredDomain: PropertyListStore, RefreshableSource {
    let name: String

    private let reference: UserDefaultsReference
    private let mirror: MirroredTable
    private let changes: any UserDefaultsChanges

    /// Reads all values of a `UserDefaults`, and begins to follow it.
    init(_ reference: UserDefaultsReference, name: String, changes: any UserDefaultsChanges) {
        self.name = name
        self.reference = reference
        self.changes = changes
        mirror = MirroredTable(of: UserDefaultsSource(reference, reports: ForeignValueReports(store: name)))
        // First, so that no change is missed between the two.
        changes.begin { [weak mirror] keys in mirror?.notice(keys) }
        mirror.refresh(.all)
    }

    deinit {
        changes.end()
    }

    /// Takes over what others wrote, that of which nothing was told included.
    func refresh() {
        mirror.refresh(.all)
    }

    var revision: StoreRevision? { mirror.contents.revision }

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
        mirror.settle()
        guard reference.defaults.synchronize() else {
            throw StoreError(
                .notDurable,
                store: name,
                reason: "UserDefaults could not save it",
                remedy: "see that its file and the folder around it can be written, and try again"
            )
        }
    }
}
