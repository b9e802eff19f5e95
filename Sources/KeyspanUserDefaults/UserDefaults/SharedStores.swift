import Foundation
import KeyspanCore

/// The stores of all `UserDefaults` that were asked for by object, so that each has one.
final class SharedStores: Sendable {
    /// Those of the process.
    static let ofProcess = SharedStores()

    private struct Entry {
        let store: any RegisteringStore
        /// Keeps what the entry is found by from being used for something else.
        let reference: UserDefaultsReference
        /// Posts the notifications that the system does not post by itself.
        let notifications: (any Sendable)?
    }

    private let entries = Locked<[UserDefaultsIdentity: Entry]>([:])

    private init() {}

    /// The store of a `UserDefaults`, opened the first time.
    func store(of reference: UserDefaultsReference) -> any RegisteringStore {
        let identity = UserDefaultsIdentity(of: reference)
        if let entry = entries.withLock({ $0[identity] }) { return entry.store }
        // Not under the lock, because opening reads. Of two threads that come here one takes the other's.
        let (store, problems) = HeldProblems.hold { Self.open(reference) }
        let new = Entry(store: store, reference: reference, notifications: reference.notifications(of: store))
        let entry = entries.withLock { entries in
            let entry = entries[identity] ?? new
            entries[identity] = entry
            return entry
        }
        // Only now, because a handler may ask for the same store.
        problems.release()
        return entry.store
    }

    /// Opens a store that waits for a file that cannot be used; of a suite that can have no file, one in memory.
    private static func open(_ reference: UserDefaultsReference) -> any RegisteringStore {
        do {
            return try UserDefaultsStore(opening: reference, isShared: true)
        } catch {
            return LayeredStore(registeringBelow: UnsavedStore(name: error.store, cause: error))
        }
    }
}
