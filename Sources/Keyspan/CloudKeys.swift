@_spi(StoreAuthors) internal import KeyspanCore

/// The keys whose values are synchronized among devices, with their local stores and the store that the devices share.
final class CloudKeys: Sendable {
    private struct State {
        var cloud: (any PropertyListStore)?
        var keys: Set<Defaults.AnyKey> = []
        var synchronizers: [ObjectIdentifier: StoreSynchronizer] = [:]
        var isDebug = false
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

    var synchronizers: [StoreSynchronizer] { state.withLock { Array($0.synchronizers.values) } }

    func add(_ keys: some Sequence<Defaults.AnyKey>) {
        for key in keys where state.withLock({ $0.keys.insert(key).inserted && $0.cloud != nil }) {
            synchronize(key)
        }
    }

    func remove(_ keys: some Sequence<Defaults.AnyKey>) {
        // The old set is released outside the lock: a key may hold the last reference to its store.
        let (before, kept, synchronizers) = state.withLock { state in
            let before = state.keys
            state.keys.subtract(keys)
            return (before, state.keys, state.synchronizers.values.map(\.self))
        }
        let removed = before.subtracting(kept)
        // Another key may have the same entry: one whose suite is the standard store, or a second declaration.
        let keptNames = Set<UTF8Text>(kept.flatMap(\.synchronizedNames))
        let names = Set<UTF8Text>(removed.flatMap(\.synchronizedNames)).subtracting(keptNames)
        for synchronizer in synchronizers {
            synchronizer.remove(names)
        }
    }

    private func synchronize(_ key: Defaults.AnyKey) {
        if let suite = key.suite { return synchronize(key, in: suite) }
        withStandardStore { [weak self] store in
            self?.synchronize(key, in: store)
        }
    }

    private func synchronize(_ key: Defaults.AnyKey, in store: any PropertyListStore) {
        let (isWanted, cloud, present) = state.withLock { state in
            (state.keys.contains(key), state.cloud, state.synchronizers[ObjectIdentifier(store)])
        }
        guard isWanted, let cloud else { return }
        let synchronizer = present ?? insert(makeSynchronizer(of: store, with: cloud), for: store)
        synchronizer.add(Set<UTF8Text>(key.synchronizedNames))
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

    /// Keeps a synchronizer, unless another thread was first.
    private func insert(_ synchronizer: StoreSynchronizer, for store: any PropertyListStore) -> StoreSynchronizer {
        state.withLock { state in
            if let present = state.synchronizers[ObjectIdentifier(store)] { return present }
            state.synchronizers[ObjectIdentifier(store)] = synchronizer
            return synchronizer
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
