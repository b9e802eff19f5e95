import Foundation
@_spi(StoreAuthors) import KeyspanCore

/// The stores of `UserDefaults` objects that the process has asked for, one for each.
final class SharedStores: Sendable {
    /// The stores of the process.
    static let ofProcess = SharedStores()

    private struct Entry {
        let store: any RegisteringStore
        /// Keeps the object of the entry's identity alive, so that no other object gets the same identity.
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
        // Outside the lock, because opening reads. If two threads race, the loser uses the winner's store.
        let (store, problems) = HeldProblems.hold { Self.open(reference) }
        let new = Entry(store: store, reference: reference, notifications: reference.notifications(of: store))
        let entry = entries.withLock { entries in
            let entry = entries[identity] ?? new
            entries[identity] = entry
            return entry
        }
        // Only now, because a handler may request the same store.
        problems.release()
        return entry.store
    }

    /// Opens a store, which waits if its file is unusable; a suite that cannot have a file gets a store in memory.
    private static func open(_ reference: UserDefaultsReference) -> any RegisteringStore {
        do {
            return try UserDefaultsStore(opening: reference, isShared: true)
        } catch {
            return LayeredStore(registeringBelow: UnsavedStore(name: error.store, cause: error))
        }
    }
}

/// A `UserDefaults` shared by several threads.
// Unchecked, because Foundation does not mark the class: Apple's documentation of UserDefaults says that it is thread-safe,
// and in swift-corelibs-foundation every method takes the lock of the state that it uses (the preferences domain, the
// registered defaults, the volatile domains of the object). The object is never reconfigured here.
struct UserDefaultsReference: @unchecked Sendable {
    /// The object.
    let defaults: UserDefaults

    init(_ defaults: UserDefaults) {
        self.defaults = defaults
    }
}
