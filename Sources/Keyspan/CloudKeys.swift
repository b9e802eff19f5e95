@_spi(StoreAuthors) internal import KeyspanCore

/// The keys whose values are synchronized among devices, with their local stores and the store that the devices share.
final class CloudKeys: Sendable {
    private struct State {
        var cloud: (any PropertyListStore)?
        var keys: Set<Defaults.AnyKey> = []
        /// The removed keys with `iCloud: true`; their first use can go on meanwhile, on another thread.
        var removedMarked: Set<Defaults.AnyKey> = []
        var stores: [ObjectIdentifier: SynchronizedStore] = [:]
        var isDebug = false
    }

    /// A store that has synchronized keys, with the names of their entries.
    private struct SynchronizedStore {
        let synchronizer: StoreSynchronizer
        var names: [Defaults.AnyKey: Set<UTF8Text>] = [:]
    }

    private let state = Locked(State())
    private let withStandardStore: @Sendable (@escaping @Sendable (any PropertyListStore) -> Void) -> Void

    /// Makes an empty set of keys.
    ///
    /// - Parameter withStandardStore: Passes on the store of keys without a suite, once it is open.
    init(_ withStandardStore: @escaping @Sendable (@escaping @Sendable (any PropertyListStore) -> Void) -> Void) {
        self.withStandardStore = withStandardStore
    }

    /// Chooses the shared store, once, and starts to synchronize the keys added so far.
    func begin(with cloud: any PropertyListStore) throws(Defaults.BootstrapError) {
        let keys = try state.withLock { (state) throws(Defaults.BootstrapError) in
            guard state.cloud == nil else { throw .alreadyBootstrapped }
            state.cloud = cloud
            return state.keys
        }
        for key in keys {
            synchronize(key)
        }
    }

    var keys: Set<Defaults.AnyKey> { state.withLock(\.keys) }

    var isDebug: Bool {
        get { state.withLock(\.isDebug) }
        set { state.withLock { $0.isDebug = newValue } }
    }

    var synchronizers: [StoreSynchronizer] { state.withLock { $0.stores.values.map(\.synchronizer) } }

    func add(_ keys: some Collection<Defaults.AnyKey>) {
        let before = state.withLock { state in
            defer { state.removedMarked.subtract(keys) }
            return state.removedMarked
        }
        withExtendedLifetime(before) {}
        addMarked(keys)
    }

    /// Adds keys at their first use, except those that were removed before that has ended.
    func addMarked(_ keys: some Collection<Defaults.AnyKey>) {
        for key in keys
        where state.withLock({ state in
            !state.removedMarked.contains(key) && state.keys.insert(key).inserted && state.cloud != nil
        }) {
            synchronize(key)
        }
    }

    func remove(_ keys: some Collection<Defaults.AnyKey>) {
        // The state before is released outside the lock: a key may hold the last reference to its store.
        let before = state.withLock { state in
            let before = state
            state.keys.subtract(keys)
            state.removedMarked.formUnion(keys.filter(\.iCloud))
            for (id, var store) in state.stores {
                let removed = keys.compactMap { store.names.removeValue(forKey: $0) }
                if removed.isEmpty { continue }
                // Another key may have the same entry: one whose suite is the standard store, or a second declaration.
                let kept = store.names.values.reduce(into: Set<UTF8Text>()) { $0.formUnion($1) }
                store.synchronizer.remove(removed.reduce(into: Set<UTF8Text>()) { $0.formUnion($1) }.subtracting(kept))
                state.stores[id] = store.names.isEmpty ? nil : store
            }
            return before
        }
        withExtendedLifetime(before) {}
    }

    /// Makes all stores as durable as they promise, even after one has failed, and throws the first error.
    func synchronize() throws(StoreError) {
        var first: StoreError?
        for synchronizer in synchronizers {
            do throws(StoreError) {
                try synchronizer.synchronize()
            } catch {
                first = first ?? error
            }
        }
        if let first { throw first }
    }

    private func synchronize(_ key: Defaults.AnyKey) {
        if let suite = key.suite { return synchronize(key, in: suite) }
        withStandardStore { [weak self] store in
            self?.synchronize(key, in: store)
        }
    }

    private func synchronize(_ key: Defaults.AnyKey, in store: any PropertyListStore) {
        let id = ObjectIdentifier(store)
        let (cloud, present) = state.withLock { state in
            (state.keys.contains(key) ? state.cloud : nil, state.stores[id]?.synchronizer)
        }
        guard let cloud else { return }
        let synchronizer = present ?? makeSynchronizer(of: store, with: cloud)
        let names = Set<UTF8Text>(key.synchronizedNames)
        let addition = synchronizer.addition(of: names)
        // Under the lock under which keys are removed, so that no entry of a removed key is left behind.
        let chosen = state.withLock { state -> StoreSynchronizer? in
            guard state.keys.contains(key) else { return nil }
            let chosen = state.stores[id]?.synchronizer ?? synchronizer
            state.stores[id, default: SynchronizedStore(synchronizer: chosen)].names[key] = names
            chosen.register(addition)
            return chosen
        }
        chosen?.begin(addition)
    }

    private func makeSynchronizer(
        of store: any PropertyListStore,
        with cloud: any PropertyListStore
    ) -> StoreSynchronizer {
        StoreSynchronizer(store, with: cloud) { [weak self, name = store.name] transfer in
            guard let self, isDebug else { return }
            Defaults.Problem.storeNotice(name: name, notice: TransferNotice(transfer: transfer, store: name)).report()
        }
    }
}

/// Reports a transfer to the handler of problems, without the value.
private struct TransferNotice: Sendable, CustomStringConvertible {
    let transfer: StoreSynchronizer.Transfer
    let store: String

    var description: String {
        let what = transfer.isRemoval ? "the removal of key" : "key"
        let way = transfer.isToRemote ? "was sent from \(store) to" : "was received in \(store) from"
        return "\(what) \(transfer.name.quoted) \(way) the other devices."
    }
}
