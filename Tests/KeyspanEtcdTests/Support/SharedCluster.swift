import KeyspanCore
import KeyspanEtcd

/// The cluster of all tests that break nothing, and the stores on it.
enum SharedCluster {
    private static let started = Result { try TestCluster() }

    /// The cluster, which the first caller starts and which ends with the process.
    static var cluster: TestCluster {
        get throws { try started.get() }
    }

    /// A prefix that no other test has.
    static func newPrefix() -> String {
        let number = prefixes.withLock { count in
            count += 1
            return count
        }
        return "test/\(number)/"
    }

    private static let prefixes = Locked(0)

    /// Opens a store with a prefix of its own, unless one is given.
    static func open(
        _ prefix: String = newPrefix(),
        _ configure: (inout EtcdStoreOptions) -> Void = { _ in }
    ) throws -> EtcdStore {
        var options = EtcdStoreOptions()
        // Only a call that fails takes so long.
        options.timeout = .seconds(60)
        configure(&options)
        return try EtcdStore(endpoints: cluster.endpoints, prefix: prefix, options: options)
    }
}

extension EtcdStore {
    /// The prefix of its entries.
    var prefix: String { String(name.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true)[2]) }
}
