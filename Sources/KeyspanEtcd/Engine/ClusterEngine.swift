#if Etcd
internal import Dispatch
@_spi(StoreAuthors) internal import KeyspanCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A mirror of a prefix of the cluster, and the tasks that keep it up to date and send the store's writes.
///
/// One lock is around the table that readers see (`contents`), another one around everything else (`state`). A change of both holds the
/// first one around the second.
final class ClusterEngine: Sendable {
    /// The name of the store.
    let name: String
    let space: KeySpace
    let endpoints: [Endpoint]
    let options: EtcdStoreOptions
    let contents = CommittedTable([:])
    let activity = ActivityBroadcaster()
    let state = SharedState()
    let statuses = StatusBroadcaster()
    let executor: CallExecutor
    let connector: ClusterConnector
    /// The file with the last known values, if there is one.
    let cache: MirrorCache?

    /// Runs the handlers of problems and of activity, which may take any time.
    private static let reports = DispatchQueue(label: "keyspan.etcd.reports")

    /// Runs the writes of tasks, which wait for the cluster.
    let blocking = BlockingWork(limit: 16)

    /// The pauses of writers whose batches met others.
    let conflicts = Locked(Backoff(first: .milliseconds(1), longest: .milliseconds(100)))

    let tasks = Locked<[Task<Void, Never>]>([])

    init(
        name: String,
        space: KeySpace,
        endpoints: [Endpoint],
        options: EtcdStoreOptions,
        executor: CallExecutor = .next(),
        connector: ClusterConnector,
        cache: MirrorCache? = nil
    ) {
        (self.name, self.space, self.endpoints, self.options) = (name, space, endpoints, options)
        (self.executor, self.connector, self.cache) = (executor, connector, cache)
    }

    /// Starts the tasks, which keep the engine alive until it is closed.
    func start() {
        activity.noteStaleness(ofFirstVersion: true)
        if let cache {
            // Before the first listing, which cannot be older than these contents unless the cluster was restored.
            let content = cache.content
            state.change { $0.cached = content }
            cache.begin { [state] in
                state.read(\.cacheContent)
            } reporting: { [name, path = cache.path] error in
                Self.report([.cacheFailed(store: name, path: path, error)], ofStore: name)
            }
        }
        let executor = executor
        let following = Task(executorPreference: executor) { await self.follow() }
        let writing = Task(executorPreference: executor) {
            var sender = TransactionSender(of: self)
            await sender.run()
        }
        tasks.withLock { $0 = [following, writing] }
    }

    /// Waits for the first listing, or until no member has answered and there are values from the cache.
    ///
    /// Blocks the thread.
    ///
    /// - Throws: ``StoreError`` if no member could be reached within the timeout, or as soon as all have failed and one has refused the store.
    func waitUntilListed() throws(StoreError) {
        try endOpening(isOver: state.block(upTo: options.timeout, until: isOpeningOver))
    }

    /// Waits as ``waitUntilListed()`` does, without a thread.
    func waitUntilListed() async throws(StoreError) {
        let isOver = await state.wait(upTo: options.timeout, on: executor, until: isOpeningOver)
        if !isOver, Task.isCancelled, state.read({ $0.mirror == nil }) { throw .openingCanceled(store: name) }
        try endOpening(isOver: isOver)
    }

    private var isOpeningOver: @Sendable (ClusterState) -> Bool {
        { [memberCount = endpoints.count] state in
            guard state.mirror == nil else { return true }
            return state.failures >= memberCount && (state.cached != nil || state.failure?.isFinal == true)
        }
    }

    private func endOpening(isOver: Bool) throws(StoreError) {
        let (isListed, cached, failure, notices) = state.change { state in
            defer { state.openingNotices = nil }
            return (state.mirror != nil, state.cached, state.failure, state.openingNotices ?? [])
        }
        if isListed {
            // On this thread, so that a program knows what its values lack before it uses them.
            for notice in notices { Defaults.Problem.storeNotice(name: name, notice: notice).report() }
            return
        }
        if let cached { return begin(with: cached) }
        if isOver, let failure { throw .refused(failure, store: name) }
        if let cache, let obstacle = cache.obstacle {
            throw .notOpened(store: name, timeout: options.timeout, cache: cache.path, obstacle, failure)
        }
        throw .unreachable(store: name, timeout: options.timeout, failure)
    }

    /// Shows the values of the cache until the first listing.
    private func begin(with cached: MirrorCache.Content) {
        contents.merge { table in
            state.change { state in
                guard state.mirror == nil else { return [] }
                (state.status.revision, state.status.staleSince) = (cached.history.revision, cached.time)
                state.status.isFromCache = true
                let visible = state.queue.visible(over: cached.table)
                defer { table = visible }
                return table.differences(to: visible)
            }
        }
        contents.deliver()
        publishStatus()
    }

    /// Brings the file with the last known values up to date, a while after a change.
    func updateCache() {
        cache?.update()
    }

    /// Brings the file with the last known values up to date now, on this thread.
    func flushCache() {
        cache?.flush()
    }

    /// Reports a problem on a thread that nothing waits for.
    func report(_ notices: [EtcdNotice]) {
        guard !notices.isEmpty else { return }
        Self.report(notices, ofStore: name)
    }

    private static func report(_ notices: [EtcdNotice], ofStore name: String) {
        reports.async {
            for notice in notices { Defaults.Problem.storeNotice(name: name, notice: notice).report() }
        }
    }

    /// Delivers what the store has done, on a thread that nothing waits for.
    func deliverActivity() {
        // Without observers there is nothing to deliver.
        guard activity.start != nil else { return }
        let activity = activity
        Self.reports.async { activity.deliver() }
    }

    /// Tells those who follow the status that it has changed.
    func publishStatus() {
        statuses.send { state.read { $0.status } }
    }
}
#endif
