#if Etcd
@_spi(StoreAuthors) public import KeyspanCore
@_spi(StoreAuthors) internal import KeyspanFileStore

/// A prefix of an etcd cluster as a store: every server that has one sees the same values, from memory.
///
/// ```swift
/// // With the trait Etcd
/// let store = try EtcdStore(endpoints: ["10.0.0.1:2379", "10.0.0.2:2379", "10.0.0.3:2379"], prefix: "greeter/")
/// let defaults = Defaults(store)
/// ```
///
/// **An entry** of the cluster is a key with its value: the entry's key is the prefix with the key's name, its text is JSON on one line in the
/// forms of `JSONText`. `etcdctl get --prefix greeter/` shows the values, and `etcdctl put greeter/port 8080` is a change like any other. An
/// entry that is not JSON text is reported, has no value here, and writes to it are refused once the store has seen it. Names that begin with `.keyspan/` are the
/// store's own: each writing store keeps one entry there until it is released or closed, or for an hour if its process ends before.
///
/// **Reads** answer from memory and never wait. The store lists the prefix when it opens, and follows it with a watch. All changes of one
/// revision are one change here, in the order of the revisions. After a lost connection the watch goes on where it was; if the cluster has
/// compacted its history meanwhile, the store lists the prefix anew, and the difference is one change.
///
/// **Writes** are transactions. With ``EtcdStoreOptions/Writes/committed`` a write returns when the cluster has committed it and this store
/// shows it, so it blocks its thread for the time of a commit; tasks use `commit(_:)`. The expectations of a batch are compared in the cluster. Each
/// transaction is numbered, so that it takes effect once although it is sent again after a lost answer. If the cluster cannot be reached, a
/// write fails within ``EtcdStoreOptions/timeout`` with `StoreError.Code.unreachable`; if it was sent and no answer can be had, with
/// `StoreError.Code.outcomeUnknown`, or with `StoreError.Code.notShown` if it is committed and cannot be shown here yet.
///
/// **Members** that do not answer, or that have lost their leader, are left for others, with growing pauses. ``status`` says which member the
/// store follows and since when its values may be old.
///
/// **Tenants** are views of one store with a wide prefix, and not a store each: `Defaults.Group<TenantKeys>(store, prefix: "acme/")`, as
/// <doc:FromOneMachineToACluster> shows.
///
/// A batch has up to 127 operations and 1.5 MB, unless the cluster and the ``EtcdStoreOptions`` allow more. Safe to use from any thread.
public final class EtcdStore: PropertyListStore {
    public let name: String

    let engine: ClusterEngine

    /// How the store behaves.
    public var options: EtcdStoreOptions { engine.options }

    /// How the store stands to its cluster, from memory.
    public var status: EtcdStoreStatus { engine.state.read { $0.status } }

    /// The present status and all later ones; a slow reader misses those between.
    public var statusUpdates: some AsyncSequence<EtcdStoreStatus, Never> & Sendable {
        engine.statuses.updates { status }
    }

    /// Opens a prefix of a cluster, and waits until it is listed.
    ///
    /// Blocks the thread until then, at most for ``EtcdStoreOptions/timeout``; in a task, ``open(endpoints:prefix:options:)`` does not. Entries
    /// that cannot be read are reported before this returns, on the same thread.
    ///
    /// - Parameters:
    ///   - endpoints: The members, each as `host:port`; without a port it is 2379. Several are tried in turn, as are the addresses of a name
    ///     that has several.
    ///   - prefix: The beginning of the names of all entries, which is not part of the names of keys. It ends in a separator, `/`, `.` or `:`,
    ///     unless ``EtcdStoreOptions/allowsPrefixWithoutSeparator`` is set: `app` is the beginning of `app-production/port` too.
    ///   - options: How the store behaves.
    /// - Throws: `StoreError` with `unreachable` if no member answers in time and the store has no cache, with `unauthorized` if the cluster refuses
    ///   the user, and with `refused` for an endpoint that is none, for a prefix without a separator at its end, and for a password without TLS.
    public convenience init(
        endpoints: [String],
        prefix: String,
        options: EtcdStoreOptions = EtcdStoreOptions()
    ) throws(StoreError) {
        try self.init(endpoints: endpoints, prefix: prefix, options: options, lookup: .ofSystem)
    }

    convenience init(
        endpoints: [String],
        prefix: String,
        options: EtcdStoreOptions,
        lookup: HostLookup
    ) throws(StoreError) {
        try self.init(unlistedAt: endpoints, prefix: prefix, options: options, lookup: lookup)
        do throws(StoreError) {
            try engine.waitUntilListed()
        } catch {
            engine.close()
            throw error
        }
    }

    /// Reads the cache files of stores.
    private static let reading = BlockingWork(limit: 32)

    /// Opens a prefix of a cluster, as the initializer does, and holds no thread while it waits.
    ///
    /// Entries that cannot be read are reported before this returns.
    ///
    /// - Throws: `StoreError`, as the initializer does, and with `unreachable` if the task is canceled before the prefix is listed.
    public static func open(
        endpoints: [String],
        prefix: String,
        options: EtcdStoreOptions = EtcdStoreOptions()
    ) async throws(StoreError) -> EtcdStore {
        let open = { @Sendable () throws(StoreError) in
            try EtcdStore(unlistedAt: endpoints, prefix: prefix, options: options, lookup: .ofSystem)
        }
        let store = options.cache == nil ? try open() : try await reading.run(open)
        do throws(StoreError) {
            try await store.engine.waitUntilListed()
        } catch {
            store.engine.close()
            throw error
        }
        return store
    }

    private init(
        unlistedAt endpoints: [String],
        prefix: String,
        options: EtcdStoreOptions,
        lookup: HostLookup
    ) throws(StoreError) {
        let members = endpoints.compactMap { Endpoint($0) }
        name = "etcd://\(members.map(\.description).joined(separator: ","))/\(prefix)"
        if !options.allowsPrefixWithoutSeparator, let danger = Self.danger(ofPrefix: prefix) {
            throw StoreError(
                .refused,
                store: name,
                reason: danger,
                remedy: "end the prefix with a slash, or set allowsPrefixWithoutSeparator of the options"
            )
        }
        if options.security.isPlaintext, endpoints.contains(where: { $0.utf8.starts(with: "https://".utf8) }) {
            throw StoreError(
                .refused,
                store: name,
                reason: "an endpoint asks for TLS, and the security of the options is plaintext",
                remedy: "set the security of the options to TLS"
            )
        }
        guard members.count == endpoints.count, !members.isEmpty else {
            throw StoreError(
                .refused,
                store: name,
                reason: "an endpoint is not of the form host:port",
                remedy: "name at least one member, such as 10.0.0.1:2379"
            )
        }
        if let credentials = options.credentials, options.security.isPlaintext, !credentials.allowsPlaintext {
            throw StoreError(
                .refused,
                store: name,
                reason: "the password would go over a connection without TLS",
                remedy: "set the security of the options to TLS, or allow plaintext in the credentials"
            )
        }
        let clamped = options.clamped
        let identity = SharedConnection.Identity(
            members: Set(members),
            security: options.security,
            credentials: options.credentials,
            callTimeout: clamped.callTimeout,
            network: ObjectIdentifier(lookup)
        )
        let shared = SharedConnection.of(identity, at: members) { executor in
            GRPCConnector(
                security: options.security,
                credentials: options.credentials,
                callTimeout: clamped.callTimeout,
                executor: executor,
                lookup: lookup
            )
        }
        let space = KeySpace(prefix: prefix)
        engine = ClusterEngine(
            name: name,
            space: space,
            endpoints: members,
            options: clamped,
            connector: ClusterConnector(to: shared, probing: space.start),
            cache: Self.cache(of: options, prefix: prefix, endpoints: members, store: name)
        )
        engine.start()
    }

    /// Why the entries with a prefix may be those of other programs; `nil` for a prefix that ends in a separator.
    package static func danger(ofPrefix prefix: String) -> String? {
        switch prefix.utf8.last {
        case nil:
            "an empty prefix is that of the whole cluster, so the entries of all programs would be read and removed as this store's"
        case UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: ":"): nil
        default:
            "the prefix \(prefix.quoted) does not end in a separator (/ . or :), so the entries of its neighbors whose names begin alike, such as "
                + "\((prefix + "-2/").quoted), would be read and removed as this store's"
        }
    }

    /// The file with the last known values; a file that cannot be used is reported, and the store does without it.
    private static func cache(
        of options: EtcdStoreOptions,
        prefix: String,
        endpoints: [Endpoint],
        store: String
    ) -> MirrorCache? {
        guard let path = options.cache else { return nil }
        do {
            return try MirrorCache(path: path, prefix: prefix, endpoints: endpoints)
        } catch {
            let failure = StoreError.failed(.notApplied, error, store: store)
            let notice = EtcdNotice.cacheFailed(store: store, path: path, failure)
            Defaults.Problem.storeNotice(name: store, notice: notice).report()
            return nil
        }
    }

    deinit {
        engine.release()
    }
}

// Users call these as members of the protocol.
@_spi(StoreAuthors) extension EtcdStore {
    public func revision(of stripe: KeyStripe) -> StoreRevision? { engine.contents.revision(of: stripe) }

    public func storedValue(forKey key: String) -> StoredValue? { engine.contents.storedValue(forKey: key) }

    /// `readable`, as for files: people read the entries.
    public var valueForm: Defaults.ValueForm { .readable }

    public func snapshot() -> PropertyListTable { engine.contents.snapshot() }

    public func apply(_ batch: PropertyListBatch) throws(StoreError) { try engine.apply(batch) }

    public func commit(_ batch: PropertyListBatch) async throws(StoreError) {
        try await engine.blocking.run { () throws(StoreError) in try self.engine.commitDurably(batch) }
    }

    public func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        engine.contents.observe(keys, initial: initial, receive)
    }
}

extension EtcdStore {
    /// Returns when the cluster has committed everything that was written here before.
    ///
    /// With ``EtcdStoreOptions/Writes/committed`` it has, and this returns at once.
    ///
    /// - Throws: `StoreError` with `notDurable` if that did not happen within ``EtcdStoreOptions/timeout``, or if the cluster has refused a write
    ///   since the last call. The other writes stay in effect here, and are sent as soon as possible.
    public func synchronize() throws(StoreError) { try engine.synchronize() }

    /// Ends the use of the cluster: sends waiting writes, and gives back the store's own entry and its lease.
    ///
    /// From here on writes fail with `StoreError.Code.notApplied`, and reads go on from memory, with the last values. A store that is
    /// released does the same in the background. A program that ends soon after a write calls this first, because a process that exits ends
    /// nothing in the background; otherwise the cluster keeps the store's own entry for an hour.
    ///
    /// Blocks the thread for at most ``EtcdStoreOptions/timeout`` while writes wait, and then for at most one
    /// ``EtcdStoreOptions/callTimeout``. Later calls change nothing.
    ///
    /// - Throws: `StoreError`, as ``synchronize()`` does. The store is closed in any case.
    public func close() throws(StoreError) { try engine.releaseAndWait() }

    /// Ends the use of the cluster, as ``close()`` does, and never blocks a thread of the cooperative pool.
    ///
    /// - Throws: `StoreError`, as ``synchronize()`` does. The store is closed in any case.
    public func close() async throws(StoreError) {
        try await engine.blocking.run { () throws(StoreError) in try self.engine.releaseAndWait() }
    }
}

@_spi(StoreAuthors) extension EtcdStore: CountingStore, ProvenanceReporting, ActivityBroadcasting {
    package var revisionCells: [RevisionCells]? { engine.contents.revisionCells }

    package var activity: ActivityBroadcaster { engine.activity }

    public var unsavedKeys: [String] { engine.state.read { $0.queue.pendingNames } }

    /// The member that the store follows, and the revision of the last change of each key.
    public func provenance(forKeys keys: [String], findingLines: Bool) -> TextDictionary<Provenance> {
        let values = engine.contents.snapshot()
        return engine.state.read { state in
            let store = "etcd \(state.status.endpoint ?? engine.endpoints.map(\.description).joined(separator: ","))"
            return keys.reduce(into: [:]) { found, key in
                guard values[key] != nil else { return }
                let revision = state.mirror?.revision(of: key) ?? 0
                let detail = state.queue.isPending(key) || revision == 0 ? "not yet committed" : "revision \(revision)"
                found[key] = Provenance([.init(store: store, detail: detail)])
            }
        }
    }
}
#endif
