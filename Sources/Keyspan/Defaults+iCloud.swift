@_spi(StoreAuthors) internal import KeyspanCore

extension Defaults {
    /// Synchronizes the values of keys among a user's devices, through a store that the devices share.
    ///
    /// It synchronizes the keys declared with `iCloud: true` and those added here. The newest write wins; `StoreSynchronizer`,
    /// which does the work, describes the rest.
    ///
    /// ```swift
    /// extension Defaults.Keys {
    ///     static let isUnicornMode = Key<Bool>("isUnicornMode", default: false, iCloud: true)
    /// }
    ///
    /// func start(with cloud: any PropertyListStore) throws(Defaults.BootstrapError) {
    ///     try Defaults.iCloud.bootstrap(cloud)
    /// }
    /// ```
    ///
    /// On Apple platforms the shared store is the `UbiquitousStore` of `KeyspanUserDefaults`, and the program needs the iCloud
    /// capability with key-value storage. Elsewhere it is any store. Until it is chosen, nothing is transferred. Safe to use
    /// from any thread.
    // swift-format-ignore: TypeNamesShouldBeCapitalized
    public enum iCloud {
        private static let cloudKeys: CloudKeys = {
            let cloudKeys = CloudKeys { StandardStore.whenOfProcessIsOpen($0) }
            MarkedKeys.receive { [weak cloudKeys] in cloudKeys?.addMarked($0) }
            return cloudKeys
        }()

        /// Chooses the store that the devices share, once, and starts to synchronize all keys added so far.
        ///
        /// - Throws: `BootstrapError` if it was chosen before; the first choice stays.
        public static func bootstrap(_ cloud: any PropertyListStore) throws(BootstrapError) {
            try cloudKeys.begin(with: cloud)
        }

        /// The synchronized keys.
        ///
        /// A key that is declared with `iCloud: true` is among them from its first use.
        public static var keys: Set<AnyKey> { cloudKeys.keys }

        /// Whether each transfer is reported to `Defaults.onProblem(_:)`, without the value.
        public static var isDebug: Bool {
            get { cloudKeys.isDebug }
            set { cloudKeys.isDebug = newValue }
        }

        /// Synchronizes keys from now on.
        ///
        /// A key keeps its suite, which is synchronized until the last of its keys is removed, also if the program has released it.
        public static func add(_ keys: AnyKey...) {
            cloudKeys.add(keys)
        }

        /// Stops synchronizing keys; stored values stay where they are.
        ///
        /// A transfer that another thread has begun may still end. No other one begins, even if a thread is adding the keys.
        public static func remove(_ keys: AnyKey...) {
            cloudKeys.remove(keys)
        }

        /// Stops synchronizing keys; stored values stay where they are.
        public static func remove(_ keys: [AnyKey]) {
            cloudKeys.remove(keys)
        }

        /// Stops synchronizing all keys; stored values stay where they are.
        ///
        /// A key that is declared with `iCloud: true` and first used later takes part from then on.
        public static func removeAll() {
            cloudKeys.remove(keys)
        }

        /// Retries failed transfers, and makes all stores as durable as they promise, even after one has failed.
        ///
        /// May block on the disk or the network.
        ///
        /// - Throws: `StoreError` if some of the stores could not do that, the error of one of them.
        public static func synchronize() throws(StoreError) {
            try cloudKeys.synchronize()
        }

        /// Returns when all changed values are in the shared store, and those from other devices in the local stores.
        ///
        /// The shared store decides when to pass them on to the other devices.
        public static func waitForSyncCompletion() async {
            for synchronizer in cloudKeys.synchronizers {
                await synchronizer.waitForCompletion()
            }
        }
    }
}
