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
        if state.read({ !$0.needsListing }), try await isHistoryPossible(by: calls),
            let proof = state.read({ $0.mirror.flatMap { HistoryProof(of: $0) } })
        {
            return ClusterWatch(provenBy: proof)
        }
        let start = ContinuousClock.now
        try await list(by: calls)
        let isShort = ContinuousClock.now - start < options.callTimeout
        return ClusterWatch(provenAt: state.read { $0.mirror?.revision ?? 0 }, isListed: isShort)
    }

    /// Asks for the number of the last revision, by a read of one key that all members agree on: in one history it never becomes lower.
    private func isHistoryPossible(by calls: any ClusterCalls) async throws(CallError) -> Bool {
        // Before the read: a transaction may become known while it is under way.
        let (cluster, revision) = state.read { ($0.mirror?.cluster, $0.lastKnownRevision) }
        var request = Etcdserverpb_RangeRequest()
        (request.key, request.countOnly) = (space.start, true)
        let header = try await calls.range(request).header
        return state.change { state in
            if header.clusterID == cluster, header.revision >= revision, header.raftTerm >= state.term {
                state.term = header.raftTerm
                return true
            }
            state.refuteHistory()
            return false
        }
    }

    /// Compares the entries that have changed last, and the number of all, as of the mirror's revision.
    ///
    /// It is for members that no longer keep the recent changes, or do not deliver them.
    func compareEntries(by calls: any ClusterCalls) async throws(CallError) {
        guard let mirror = state.read(\.mirror) else { return }
        let keys = mirror.recentKeys.prefix(min(RecentChanges.capacity, options.maximumOperations - 1))
        var count = Etcdserverpb_RangeRequest()
        (count.key, count.rangeEnd, count.countOnly) = (space.start, space.end, true)
        count.revision = mirror.revision
        var request = Etcdserverpb_TxnRequest()
        request.success = keys.map { .read($0, at: mirror.revision) } + [.reading(count)]
        do throws(CallError) {
            let answers = try await calls.commit(request).responses.map(\.responseRange)
            let isSame =
                answers.count == keys.count + 1 && answers.last?.count == Int64(mirror.entryCount)
                && answers.dropLast().allSatisfy { $0.kvs.count == 1 && $0.kvs.allSatisfy(mirror.has) }
            if !isSame { state.change { $0.refuteHistory() } }
        } catch {
            // The cluster has not come so far, or no longer knows it.
            guard error.kind == .rejected || error.kind == .compacted else { throw error }
            state.change { $0.needsListing = true }
        }
    }

    /// Ends a connection on which the proof was not completed in time.
    func giveUpProof(by calls: any ClusterCalls) async {
        do throws(CallError) {
            try await compareEntries(by: calls)
        } catch {
            return calls.end()
        }
        guard state.read({ $0.calls !== calls }) else { return }
        // If the entries are those of the mirror, the watch does not deliver what it should.
        if state.read(\.needsListing) { calls.leave() } else { calls.end() }
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
