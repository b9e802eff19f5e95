#if Etcd
/// How an ``EtcdStore`` behaves.
public struct EtcdStoreOptions: Sendable, Hashable {
    /// When a write takes effect.
    public enum Writes: Sendable, Hashable {
        /// Once the cluster has committed it: the write waits for that, and readers see it afterwards.
        case committed
        /// At once in this store; it is sent in the background.
        ///
        /// Writes wait in memory while the cluster cannot be reached, in their order, and several share a transaction. If the cluster refuses
        /// that, it is divided: only the batch that it refuses goes back, with those that share a key with it, directly or through others. A
        /// batch that expects something of the values which it replaces, and one that a task commits, wait for the cluster in this mode too,
        /// after all that were written before them.
        ///
        /// - Parameter limit: The most keys that may wait; a key counts once for each transaction that will write it. A write with which
        ///   there would be more is refused.
        case background(limit: Int = 10_000)
    }

    /// When a write takes effect.
    public var writes = Writes.committed

    /// The time within which a write has to be committed, and the store opened.
    public var timeout = Duration.seconds(10)

    /// The time within which a member has to answer a call, and its name be found; after that the store tries another one.
    ///
    /// A store makes a call at least every ten times this, by which it notices a member that keeps its connections and serves nobody, as one
    /// does whose disk hangs. By pings it notices a member that is frozen or cannot be reached, within ten seconds and this time, and at most
    /// nineteen seconds.
    public var callTimeout = Duration.seconds(3)

    /// How the connections are protected.
    public var security = EtcdSecurity.plaintext

    /// The user and the password, if the cluster has users.
    public var credentials: EtcdCredentials?

    /// The path of a file with the last known values, from which the store starts if no member can be reached.
    ///
    /// Such a store opens at once with these values, says in its ``EtcdStore/status`` that they come from the file, and connects as soon as
    /// it can. Without the file, or without the path, opening throws once the ``timeout`` is over.
    ///
    /// The file says which prefix and cluster it is of. A store starts from it only if the prefix is its own and at least one endpoint is: members
    /// are replaced one by one, so one is enough, and the values of another cluster are worse than no start. A file that does not say this, as
    /// an earlier version wrote it, is not used either, and is replaced with the first listing. If the cluster turns out to be another one than
    /// that of the file, or older, the store reports ``EtcdNotice/Kind/clusterReplaced``.
    ///
    /// The file has a change half a second later at the latest, and when the store is released or the process exits. Several processes may have
    /// the same file: it always has one whole state of the cluster, and never an older one after a later one, except after a restore.
    public var cache: String?

    /// Whether the prefix may be empty or end within a name.
    ///
    /// By default, a store is not opened unless its prefix ends in a separator: `/`, `.` or `:`. The store of the prefix `app` would have the
    /// entries of `app-production/` and `application/` as well, with keys such as `-production/port`, and `removeAll` would remove them. The
    /// store of the empty prefix has all entries of the cluster.
    public var allowsPrefixWithoutSeparator = false

    /// The most operations in one transaction, as the cluster's `--max-txn-ops` says; one of them is the store's own.
    public var maximumOperations = 128

    /// The most bytes in one request, as the cluster's `--max-request-bytes` says.
    public var maximumRequestSize = 1_572_864

    /// The same options within what a clock and a transaction can have.
    var clamped: EtcdStoreOptions {
        var options = self
        options.timeout = min(max(timeout, .zero), .seconds(86_400))
        options.callTimeout = min(max(callTimeout, .milliseconds(1)), .seconds(86_400))
        options.maximumOperations = min(max(maximumOperations, 2), 1 << 20)
        options.maximumRequestSize = min(max(maximumRequestSize, 1 << 12), 1 << 30)
        return options
    }

    /// Makes the default options: committed writes, ten seconds, no protection.
    public init() {}
}
#endif
