#if Etcd
@_spi(StoreAuthors) internal import KeyspanCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// How the engine makes sure that a member has the history of which the mirror is: a cluster that was restored from a backup has another one.
extension ClusterEngine {
    /// Begins the proof that a member has the history of the mirror, or lists the prefix.
    func beginProof(by calls: any ClusterCalls) async throws(CallError) -> ClusterWatch {
        if let mirror = state.read({ $0.needsListing ? nil : $0.mirror }) {
            try await compareEntries(by: calls)
            if state.read({ !$0.needsListing }) {
                // An empty mirror without changes is compared as a whole.
                return HistoryProof(of: mirror).map { ClusterWatch(provenBy: $0) }
                    ?? ClusterWatch(provenAt: mirror.revision)
            }
        }
        let start = ContinuousClock.now
        try await list(by: calls)
        let isShort = ContinuousClock.now - start < options.callTimeout
        return ClusterWatch(provenAt: state.read { $0.mirror?.revision ?? 0 }, isListed: isShort)
    }

    /// Compares the keys that have changed last, and the number of all, as of the mirror's revision.
    ///
    /// It is one read that all members agree on, by the index of keys. Also without these keys it shows a cluster with another id, and one
    /// that has gone back: the numbers of revisions and terms never become lower in one history.
    private func compareEntries(by calls: any ClusterCalls) async throws(CallError) {
        // The last revision as of now: a transaction may become known while the read is under way.
        let (present, revision) = state.read { ($0.mirror, $0.lastKnownRevision) }
        guard let mirror = present else { return }
        let keys = mirror.recent.lastKeys(upTo: options.maximumOperations - 1)
        var count = Etcdserverpb_RangeRequest()
        (count.key, count.rangeEnd, count.countOnly) = (space.start, space.end, true)
        count.revision = mirror.revision
        var request = Etcdserverpb_TxnRequest()
        request.success = keys.map { .read($0, at: mirror.revision) } + [.reading(count)]
        do throws(CallError) {
            let response = try await calls.commit(request)
            let (header, answers) = (response.header, response.responses.map(\.responseRange))
            let isSame =
                header.clusterID == mirror.cluster && header.revision >= revision
                && header.raftTerm >= state.read(\.term) && answers.count == keys.count + 1
                && answers.last?.count == Int64(mirror.entryCount)
                && zip(keys, answers).allSatisfy { key, answer in
                    answer.kvs.first.map(mirror.has) ?? (mirror.version(of: key) == nil)
                }
            state.change { state in
                if isSame { state.term = header.raftTerm } else { state.refuteHistory() }
            }
        } catch {
            // The cluster has not come so far, or no longer knows these entries.
            if error.kind == .rejected, error.reason.contains("future revision") {
                state.change { $0.refuteHistory() }
            } else if error.kind == .compacted {
                state.change { $0.needsListing = true }
            } else {
                throw error
            }
        }
    }

    /// Completes a proof if it can be, from where on the store follows the member.
    ///
    /// - Parameter isRequired: Whether a change after those of the mirror has arrived.
    func conclude(
        _ watch: ClusterWatch,
        isRequired: Bool,
        by calls: any ClusterCalls
    ) throws(HistoryProof.Refutation) {
        if !watch.isProven, let mirror = state.read(\.mirror) {
            try watch.conclude(over: mirror, isRequired: isRequired)
        }
        if watch.isProven, state.read({ $0.calls !== calls }) { beginConnection(by: calls) }
    }
}

extension ClusterState {
    /// Notes that the cluster has another history than the mirror.
    mutating func refuteHistory() {
        (needsListing, isHistoryRefuted) = (true, true)
    }
}
#endif
