#if Etcd
@_spi(StoreAuthors) internal import KeyspanCore

/// How keys are removed from a cluster without space, which takes no marker.
extension TransactionSender {
    /// Makes one attempt to remove keys, without the marker.
    ///
    /// It expects that none of the keys has changed after a known revision. So an attempt that arrives late, or again, removes nothing that
    /// was written in the meantime.
    mutating func attemptRemoval(_ entry: WriteQueue.Entry, by calls: any ClusterCalls) async -> Step {
        if removedUpTo == nil {
            // The mirror may be behind. With its revision attempts would fail, and after a lost answer such a failure has two explanations.
            var request = Etcdserverpb_RangeRequest()
            (request.key, request.countOnly) = (engine.space.start, true)
            do throws(CallError) {
                (removedUpTo, epoch) = (try await calls.range(request).header.revision, state.read { $0.epoch })
            } catch {
                return await judge(error, of: entry, ofSentAttempt: false, by: calls)
            }
        }
        let (plan, revision, present) = state.read { state in
            let limit = engine.options.maximumOperations - 1
            let plan = entry.writes.plan(in: engine.space, over: state.mirror, preferringRangesUpTo: limit)
            return (plan, state.mirror?.revision ?? 0, state.epoch)
        }
        // The revisions of another history say nothing about these keys.
        if present != epoch, isUndecided { return .refused(unknownOutcome()) }
        if present != epoch { (removedUpTo, epoch) = (revision, present) }
        var request = Etcdserverpb_TxnRequest()
        request.compare = plan.conditions + plan.guards(upTo: removedUpTo ?? revision)
        request.success = plan.operations
        if request.compare.count > engine.options.maximumOperations {
            let limit = engine.options.maximumOperations
            return refusal(.error(.tooManyOperations(request.compare.count, limit: limit, store: engine.name)))
        }
        guard beginAttempt(with: nil) else { return .goesOn }
        do throws(CallError) {
            let response = try await calls.commit(request)
            if response.succeeded { return await removal(of: entry, response, by: calls) }
            noteFailedAttempt()
            // Either an earlier attempt has taken effect, and others have written since, or none does.
            if isUndecided { return .refused(unknownOutcome()) }
            state.change { $0.flight?.isOvertaken = true }
            removedUpTo = response.header.revision
            return plan.conditions.isEmpty ? .goesOn : .waitsForWatch(revision)
        } catch {
            return await judge(error, of: entry, ofSentAttempt: true, by: calls)
        }
    }

    /// The step after an attempt that has removed the keys, or that has found none, maybe because an earlier one removed them.
    private func removal(
        of entry: WriteQueue.Entry,
        _ response: Etcdserverpb_TxnResponse,
        by calls: any ClusterCalls
    ) async -> Step {
        let revision = response.header.revision
        let count = response.responses.reduce(0) { $0 + $1.responseDeleteRange.deleted }
        if count > 0 { return .committed(revision) }
        // No change of this revision may ever come, so the mirror is waited for by its entries.
        let isShown: @Sendable (ClusterState) -> Bool = { [epoch] state in
            guard let mirror = state.mirror, !state.isClosed, state.epoch == epoch else { return true }
            return mirror.revision >= revision || entry.writes.areRemoved(from: mirror.table)
        }
        if await !state.wait(upTo: engine.options.callTimeout, on: engine.executor, until: isShown) {
            // The watch of this connection does not deliver.
            calls.end()
            if entry.commit != nil { _ = await state.wait(on: engine.executor, until: isShown) }
        }
        return .committed(state.read { min($0.mirror?.revision ?? 0, revision) })
    }
}

extension ClusterWrites.Plan {
    /// The conditions that none of the keys which the plan removes has changed after a revision.
    fileprivate func guards(upTo revision: Int64) -> [Etcdserverpb_Compare] {
        operations.compactMap { operation in
            guard case .requestDeleteRange(let range)? = operation.request else { return nil }
            return .lastChanges(from: range.key, to: range.rangeEnd, areUpTo: revision)
        }
    }
}
#endif
