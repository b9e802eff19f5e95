#if Etcd
@_spi(StoreAuthors) internal import KeyspanCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// How the prefix is listed as of one revision, in pages.
extension ClusterEngine {
    /// Lists the prefix, and lets the difference to what readers see take effect as one change.
    func list(by calls: any ClusterCalls) async throws(CallError) {
        let start = Date()
        // As of now: a transaction may become known while the listing is under way.
        let (limit, known) = state.read { ($0.pageSize, $0.lastKnownRevision) }
        var request = Etcdserverpb_RangeRequest()
        (request.key, request.rangeEnd, request.limit) = (space.start, space.end, limit)
        var response = try await page(request, by: calls)
        let header = response.header
        var mirror = Mirror(of: space, cluster: header.clusterID, revision: header.revision)
        var effect = Mirror.Effect()
        while true {
            for entry in response.kvs { mirror.list(entry, into: &effect) }
            guard response.more, let last = response.kvs.last else { break }
            // The following pages are of the same revision, which this member has, so that it need not ask the others.
            request.key = last.key + [0]
            (request.revision, request.serializable) = (mirror.revision, true)
            request.limit = nextLimit(after: response.kvs, limit: request.limit)
            response = try await page(request, by: calls)
        }
        state.change { state in
            state.pageSize = ClusterState.usualPageSize
            state.largestPageSize = ClusterState.usualLargestPageSize
            // Of the first page, which all members agreed on.
            (state.freshAt, state.status.staleSince) = (start, start)
        }
        install(mirror, effect, term: header.raftTerm, after: known)
    }

    /// Reads a page.
    ///
    /// The next attempt after one that met silence begins with smaller pages, and does not grow them to the size that was too large.
    private func page(
        _ request: Etcdserverpb_RangeRequest,
        by calls: any ClusterCalls
    ) async throws(CallError) -> Etcdserverpb_RangeResponse {
        do throws(CallError) {
            return try await calls.range(request)
        } catch {
            guard error.isSilence else { throw error }
            let size = max(request.limit / 2, ClusterState.smallestPageSize)
            state.change { state in
                // A member that does not answer a first page may not answer any.
                if request.revision > 0 { state.largestPageSize = size }
                state.pageSize = min(state.pageSize, size)
            }
            throw error
        }
    }

    /// The number of entries in the page after one that was answered in time: twice as many, until a page has about 4 MB.
    ///
    /// A member goes through all entries from the beginning of a page on, however few it returns.
    private func nextLimit(after page: [Etcdserverpb_KeyValue], limit: Int64) -> Int64 {
        let bytes = page.reduce(0) { $0 + $1.key.count + $1.value.count + 32 }
        let whole = Int64((page.count << 22) / max(bytes, 1))
        let largest = state.read { $0.largestPageSize }
        return min(max(min(whole, largest), ClusterState.smallestPageSize), 2 * limit)
    }

    /// Puts a new mirror in the place of the present one.
    ///
    /// A mirror of another history begins a new era, in which no revision of the old one says anything.
    ///
    /// - Parameter known: The last revision that was known of the present history when the listing began.
    private func install(_ mirror: Mirror, _ effect: Mirror.Effect, term: UInt64, after known: Int64) {
        let isContinued = state.read { state in
            if state.isHistoryRefuted || term < state.term || mirror.revision < known { return false }
            if let present = state.mirror { return present.isContinued(by: mirror) }
            // A store that has listed nothing yet knows the cluster of its cache file.
            let history = MirrorCache.History(cluster: mirror.cluster, revision: mirror.revision)
            return state.cached.map { !$0.history.isReplaced(by: history) } ?? true
        }
        var notices: [EtcdNotice] = []
        let own = state.change { $0.claimCommit(in: effect.markers) }
        let start = activity.start
        var isChange = false
        // The difference has changes of others beside those of the waiting writer, so it is never a quiet one.
        contents.merge(
            in: own?.scope,
            by: own?.thread ?? .current,
            deliveringInBackground: own == nil
        ) { table in
            let (entries, unreadable, replaced): ([PropertyListChange.Entry], [EtcdNotice], Int64?) =
                state.change { state in
                    let old = state.mirror
                    let former = old?.revision ?? state.cached?.history.revision
                    var unreadable = effect.unreadable
                        .filter { old?.unreadable[$0.key] != mirror.unreadable[$0.key] }
                        .map { $0.notice(store: name) }
                    if state.openingNotices != nil {
                        state.openingNotices? += unreadable
                        unreadable = []
                    }
                    (state.mirror, state.needsListing, state.cached) = (mirror, false, nil)
                    (state.term, state.isHistoryRefuted) = (term, false)
                    if !isContinued {
                        state.epoch += 1
                        state.queue.forgetAcknowledged(upTo: .max)
                    }
                    _ = state.noteMarkers(effect.markers)
                    let visible = state.queue.visible(over: mirror.table)
                    let entries = table.differences(to: visible)
                    table = visible
                    return (entries, unreadable, isContinued ? nil : former)
                }
            isChange = !entries.isEmpty
            if let replaced { notices.append(.clusterReplaced(store: name, from: replaced, to: mirror.revision)) }
            notices += unreadable
            return entries
        }
        if let own { own.resolve(.success(())) }
        if isChange { activity.noteReload(since: start) }
        contents.deliver()
        deliverActivity()
        report(notices)
        updateCache()
        publishStatus()
    }
}
#endif
