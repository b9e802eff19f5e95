import Foundation
@_spi(StoreAuthors) import KeyspanCore

/// The stores of `UserDefaults` objects that the process has asked for, one for each.
///
/// The store of a suite stays open until the process ends, and so do those of the first objects where only the object is known.
/// A program that makes a new object for each access, in a computed property, would open stores without end. So of further objects
/// only the last few stores are retained; an earlier one lives as long as something else retains it, such as a key. Those do not
/// observe keys, because key-value observing can crash if observers are removed on one thread while another one writes.
final class SharedStores: Sendable {
    /// The stores of the process.
    static let ofProcess = SharedStores()

    /// The number of objects whose stores stay open, and of further ones whose stores are retained.
    static let retainedObjects = 16

    private struct Entry {
        /// Retains its `UserDefaults`, so that no other object gets the same identity as long as it lives.
        weak var store: (any RegisteringStore)?
        var retained: (any RegisteringStore)?
        /// Posts the notifications that the system does not post by itself.
        let notifications: (any Sendable)?
    }

    private struct State {
        var entries: [UserDefaultsIdentity: Entry] = [:]
        /// The number of objects whose stores stay open.
        var objectCount = 0
        /// The further objects whose stores are retained, the one that was opened last at the end.
        var recent: [UserDefaultsIdentity] = []

        /// Keeps an entry, unless another thread was first, and forgets those of released stores.
        mutating func insert(_ entry: Entry, as identity: UserDefaultsIdentity) {
            entries = entries.filter { $0.value.retained != nil || $0.value.store != nil }
            guard entries[identity] == nil else { return }
            entries[identity] = entry
            guard case .object = identity else { return }
            if objectCount < SharedStores.retainedObjects { return objectCount += 1 }
            recent.append(identity)
            if recent.count > SharedStores.retainedObjects { entries[recent.removeFirst()]?.retained = nil }
        }
    }

    private let state = Locked(State())

    private init() {}

    /// The store of a `UserDefaults`, opened the first time.
    func store(of reference: UserDefaultsReference) -> any RegisteringStore {
        let identity = UserDefaultsIdentity(of: reference)
        let (present, staysOpen) = state.withLock {
            ($0.entries[identity]?.store, $0.objectCount < Self.retainedObjects)
        }
        if let present { return present }
        // Outside the lock, because opening reads. If two threads race, the loser uses the winner's store.
        let (store, problems) = HeldProblems.hold { Self.open(reference, observingKeys: staysOpen) }
        let new = Entry(store: store, retained: store, notifications: reference.notifications(of: store))
        let (shared, _, _) = state.withLock { state in
            // Released without the lock.
            let (before, stores) = (state, state.entries.values.map(\.store))
            state.insert(new, as: identity)
            return (state.entries[identity]?.store, before, stores)
        }
        // Only now, because a handler may request the same store.
        problems.release()
        return shared ?? store
    }

    /// Opens a store, which waits if its file is unusable; a suite that cannot have a file gets a store in memory.
    private static func open(
        _ reference: UserDefaultsReference,
        observingKeys: Bool
    ) -> any RegisteringStore {
        do {
            return try UserDefaultsStore(opening: reference, isShared: true, observingKeys: observingKeys)
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
