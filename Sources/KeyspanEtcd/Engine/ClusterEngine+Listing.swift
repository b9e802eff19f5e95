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
        do throws(CallError) {
            try await listPages(by: calls)
        } catch {
            if error.kind == .unavailable { state.change { $0.pageSize = max($0.pageSize / 2, 10) } }
            throw error
        }
        state.change { $0.pageSize = ClusterState.usualPageSize }
    }

    private func listPages(by calls: any ClusterCalls) async throws(CallError) {
        var request = Etcdserverpb_RangeRequest()
        (request.key, request.rangeEnd, request.limit) = (space.start, space.end, state.read { $0.pageSize })
        var response = try await calls.range(request)
        var mirror = Mirror(of: space, cluster: response.header.clusterID, revision: response.header.revision)
        var effect = Mirror.Effect()
        while true {
            for entry in response.kvs { mirror.list(entry, into: &effect) }
            guard response.more, let last = response.kvs.last else { break }
            // The following pages are of the same revision, which this member has, so that it need not ask the others.
            request.key = last.key + [0]
            (request.revision, request.serializable) = (mirror.revision, true)
            request.limit = nextLimit(after: response.kvs, limit: request.limit)
            response = try await calls.range(request)
        }
        install(mirror, effect)
    }

    /// The number of entries in the page after another one: of about 4 MB, if they are as large as those.
    ///
    /// A member goes through all entries from the beginning of a page on, however few it returns.
    private func nextLimit(after page: [Etcdserverpb_KeyValue], limit: Int64) -> Int64 {
        // Smaller pages than usual are those of a member that did not answer in time.
        guard limit >= ClusterState.usualPageSize else { return limit }
        let bytes = page.reduce(0) { $0 + $1.key.count + $1.value.count + 32 }
        return min(max(limit, Int64((page.count << 22) / max(bytes, 1))), 20_000)
    }

    /// Looks whether the member has the history that the mirror is of, and lists anew if not.
    ///
    /// A cluster that was restored from a backup begins again at an earlier revision: a watch would wait there forever, or go on in another
    /// history. The entries at the revision of the mirror are compared by their number and by the one that changed last.
    func checkIdentity(by calls: any ClusterCalls) async throws(CallError) {
        guard
            let (cluster, revision, count, last) = state.read({ state in
                state.mirror.map { ($0.cluster, $0.revision, $0.entryCount, $0.lastChange) }
            })
        else { return }
        var request = Etcdserverpb_RangeRequest()
        (request.key, request.rangeEnd, request.keysOnly) = (space.start, space.end, true)
        (request.revision, request.limit) = (revision, 1)
        (request.sortTarget, request.sortOrder) = (.mod, .descend)
        do throws(CallError) {
            let response = try await calls.range(request)
            let found = response.kvs.first?.modRevision ?? 0
            if response.header.clusterID == cluster, response.count == count, found == last { return }
        } catch {
            // The cluster has not come so far, or no longer knows it.
            guard error.kind == .rejected || error.kind == .compacted else { throw error }
        }
        try await list(by: calls)
    }

    /// Puts a new mirror in the place of the present one.
    private func install(_ mirror: Mirror, _ effect: Mirror.Effect) {
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
                    let isReplaced = old.map { $0.cluster != mirror.cluster || $0.revision > mirror.revision } ?? false
                    var unreadable = effect.unreadable
                        .filter { old?.unreadable[$0.key] != mirror.unreadable[$0.key] }
                        .map { $0.notice(store: name) }
                    if state.openingNotices != nil {
                        state.openingNotices? += unreadable
                        unreadable = []
                    }
                    (state.mirror, state.needsListing) = (mirror, false)
                    // Revisions of another history say nothing here.
                    if isReplaced {
                        state.epoch += 1
                        state.queue.forgetAcknowledged(upTo: .max)
                    }
                    _ = state.noteMarkers(effect.markers)
                    let visible = state.queue.visible(over: mirror.table)
                    let entries = table.differences(to: visible)
                    table = visible
                    return (entries, unreadable, isReplaced ? old?.revision : nil)
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
