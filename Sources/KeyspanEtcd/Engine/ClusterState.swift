#if Etcd
@_spi(StoreAuthors) internal import KeyspanCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The state that the tasks and the callers of a store share.
struct ClusterState: Sendable {
    /// A transaction whose outcome is not known yet.
    struct Flight: Sendable {
        /// The id of the entry.
        let entry: UInt64
        let commit: ClusterCommit?
        /// The marker's key and the text that the transaction writes there.
        var marker: (key: Data, text: Data)?
        /// The number of attempts that were sent and of which the outcome is not known.
        var unknownAttempts = 0
        /// The number of the history in which it is sent.
        var epoch: Int
        /// Whether the writer no longer waits, so that the transaction must not take effect anymore.
        var isAbandoned = false
        /// Whether the writer is about to be told that it has taken effect.
        var isClaimed = false
        /// Whether others have changed the prefix between its attempts, which expect that nobody does.
        var isOvertaken = false
        /// The revision at which the cluster has committed it, once that is known.
        var revision: Int64?
    }

    /// The cluster's entries; `nil` before the first listing.
    var mirror: Mirror?
    /// The notices of the first listing, for the thread that opens the store; `nil` once that no longer waits.
    var openingNotices: [EtcdNotice]? = []
    /// The number of the history that the mirror is of; a restore from a backup begins another one.
    var epoch = 0
    /// The raft term of the cluster when its history was last compared; it never becomes lower in one history.
    var term: UInt64 = 0
    /// The contents of the cache file when the store was opened; `nil` once the prefix is listed.
    var cached: MirrorCache.Content?
    /// Whether the entries have to be listed anew before the watch goes on.
    var needsListing = true
    /// Whether the cluster was found to have another history than the mirror.
    var isHistoryRefuted = false
    /// The last time at which the mirror was known to be up to date.
    var freshAt: Date?
    /// The connection whose watch is established, to a member that has the history of the mirror.
    var calls: (any ClusterCalls)?
    var queue = WriteQueue()
    var flight: Flight?
    var status = EtcdStoreStatus()
    /// The last failure of a connection; a refusal of the user stays until there is one, because other members may just be away.
    var failure: CallError? {
        didSet {
            guard let oldValue, oldValue.isOfUser, failure?.isOfUser == false, calls == nil else { return }
            failure = oldValue
        }
    }
    /// The number of members that have failed since the last connection.
    var failures = 0
    /// Whether the values may be old, and the number of times that this began.
    var isOutage = false
    var outages = 0
    /// The number of refused writes for which no writer waited, and the last refusal.
    var refusals = 0
    var lastRefusal: StoreError?
    /// Whether no `synchronize()` has thrown that yet.
    var hasUnheardRefusal = false
    /// The number of entries in the first page of a listing, smaller after a page that was not answered in time.
    var pageSize = usualPageSize
    static let usualPageSize: Int64 = 1000
    static let smallestPageSize: Int64 = 10
    /// The number up to which the pages of a listing grow, smaller after such a later page was not answered in time.
    var largestPageSize = usualLargestPageSize
    static let usualLargestPageSize: Int64 = 20_000
    /// The number of entries to compare with the cluster's, and the revision at which it holds.
    var audit: (revision: Int64, count: Int)?
    /// The leases that the store has asked for and not given back.
    var leases: Set<Int64> = []
    /// Whether the store takes no more writes.
    var isReleased = false
    /// Whether the task that writes is to end.
    var isClosed = false
    /// Whether all tasks are to end, and nothing is left to give back.
    var isEnded = false

    /// The last revision that is known of the present history.
    var lastKnownRevision: Int64 {
        let committed = flight.flatMap { $0.epoch == epoch ? $0.revision : nil }
        return max(mirror?.revision ?? 0, committed ?? 0, queue.acknowledged.last?.revision ?? 0)
    }

    /// The values of the cluster as far as they are known.
    var base: PropertyListTable {
        mirror?.table ?? (status.isFromCache ? cached?.table : nil) ?? PropertyListTable()
    }

    /// The state for the cache file; `nil` before the first listing.
    var cacheContent: MirrorCache.Content? {
        mirror.map { mirror in
            MirrorCache.Content(
                table: mirror.table,
                history: .init(cluster: mirror.cluster, revision: mirror.revision),
                time: status.staleSince ?? max(freshAt ?? .distantPast, calls?.lastProof ?? .distantPast),
                epoch: epoch,
                isCurrent: calls != nil
            )
        }
    }

    /// Takes the first writes of the queue to send them.
    mutating func takeOff() -> WriteQueue.Entry? {
        let entry = queue.takeHead()
        flight = entry.map { Flight(entry: $0.id, commit: $0.commit, epoch: epoch) }
        return entry
    }

    /// Whether no write waits or is on its way.
    var isIdle: Bool { queue.entries.isEmpty && flight == nil }

    /// Whether there is work for the task that writes.
    var hasWork: Bool { isClosed || !queue.entries.isEmpty || (audit != nil && calls != nil) }
}

/// A state under a lock, and those who wait for it to become another one.
final class SharedState: Sendable {
    private struct Waiter {
        let isReady: @Sendable (ClusterState) -> Bool
        let resume: @Sendable () -> Void
    }

    private struct Content {
        var state = ClusterState()
        var waiters: [UInt64: Waiter] = [:]
        var lastWaiter: UInt64 = 0
    }

    private let content = Locked(Content())

    /// Reads the state.
    func read<Result: Sendable>(_ body: (ClusterState) -> Result) -> Result {
        content.withLock { body($0.state) }
    }

    /// Changes the state, and wakes the waiters whose condition it now meets.
    ///
    /// - Parameter body: Called under the lock.
    func change<Result: Sendable, Failure: Error>(
        _ body: (inout ClusterState) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var ready: [Waiter] = []
        defer { for waiter in ready { waiter.resume() } }
        return try content.withLock { (content) throws(Failure) in
            defer {
                let state = content.state
                for (number, waiter) in content.waiters where waiter.isReady(state) {
                    ready.append(waiter)
                    content.waiters[number] = nil
                }
            }
            return try body(&content.state)
        }
    }

    /// Calls a closure once, as soon as a condition holds.
    ///
    /// - Parameters:
    ///   - isReady: Asked under the lock, now and after each change.
    ///   - resume: Called without the lock, on any thread; not called if the waiting is ended before.
    /// - Returns: The number with which the waiting can be ended; `nil` if the condition holds already and the closure was called.
    func notify(
        when isReady: @escaping @Sendable (ClusterState) -> Bool,
        _ resume: @escaping @Sendable () -> Void
    ) -> UInt64? {
        let number: UInt64? = content.withLock { content in
            if isReady(content.state) { return nil }
            content.lastWaiter += 1
            content.waiters[content.lastWaiter] = Waiter(isReady: isReady, resume: resume)
            return content.lastWaiter
        }
        if number == nil { resume() }
        return number
    }

    /// Ends a waiting.
    ///
    /// - Returns: Whether its closure was not called and never will be.
    @discardableResult
    func endWaiting(_ number: UInt64) -> Bool {
        content.withLock { $0.waiters.removeValue(forKey: number) != nil }
    }
}
#endif
