internal import KeyspanCore

extension Defaults {
    /// Keeps the values of keys the same on all devices of a user, through a store that the devices share.
    ///
    /// A key takes part that is declared with `iCloud: true`, or that is added here. The newest write wins; the rest is as
    /// `StoreSynchronizer` says, which does the work.
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
    /// On Apple systems the shared store is the `UbiquitousStore` of `KeyspanUserDefaults`; the program needs the capability
    /// iCloud with key-value storage. Elsewhere it is any store. Until one is chosen, keys only wait. Safe to use from
    /// any thread.
    // swift-format-ignore: TypeNamesShouldBeCapitalized
    public enum iCloud {
        private static let cloudKeys: CloudKeys = {
            let cloudKeys = CloudKeys(StandardStore.whenOfProcessIsOpen)
            MarkedKeys.receive { [weak cloudKeys] in cloudKeys?.add($0) }
            return cloudKeys
        }()

        /// Chooses the store that the devices share, once, and begins with all keys so far.
        ///
        /// - Throws: `BootstrapError` if it was chosen before; the first choice stays.
        public static func bootstrap(_ cloud: any PropertyListStore) throws(BootstrapError) {
            try cloudKeys.begin(with: cloud)
        }

        /// The keys that take part.
        ///
        /// A key that is declared with `iCloud: true` is one of them from its first use.
        public static var keys: Set<AnyKey> { cloudKeys.keys }

        /// Whether each transfer is told to `Defaults.onProblem(_:)`, without the value.
        public static var isDebug: Bool {
            get { cloudKeys.isDebug }
            set { cloudKeys.isDebug = newValue }
        }

        /// Lets keys take part from now on.
        public static func add(_ keys: AnyKey...) {
            cloudKeys.add(keys)
        }

        /// Lets keys take part no longer; what is stored stays where it is.
        public static func remove(_ keys: AnyKey...) {
            cloudKeys.remove(keys)
        }

        /// Lets keys take part no longer; what is stored stays where it is.
        public static func remove(_ keys: [AnyKey]) {
            cloudKeys.remove(keys)
        }

        /// Lets no key take part any longer, until one is added; what is stored stays where it is.
        public static func removeAll() {
            cloudKeys.remove(keys)
        }

        /// Tries once more what could not be transferred, and makes all stores as durable as they promise.
        ///
        /// May block on the disk or the network.
        ///
        /// - Throws: `StoreError` if one of the stores could not do that.
        public static func synchronize() throws(StoreError) {
            for synchronizer in cloudKeys.synchronizers {
                try synchronizer.synchronize()
            }
        }

        /// Returns when all values that have changed are in the shared store, and those of other devices in the local ones.
        ///
        /// When the shared store brings them to the other devices is its business.
        public static func waitForSyncCompletion() async {
            for synchronizer in cloudKeys.synchronizers {
                await synchronizer.waitForCompletion()
            }
        }
    }
}
