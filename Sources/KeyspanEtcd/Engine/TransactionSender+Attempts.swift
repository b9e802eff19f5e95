#if Etcd
@_spi(StoreAuthors) internal import KeyspanCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// How attempts of a transaction are made, and what their answers say.
extension TransactionSender {
    /// Makes one attempt.
    mutating func attempt(_ entry: WriteQueue.Entry, by calls: any ClusterCalls) async -> Step {
        if isUnmarked { return await attemptRemoval(entry, by: calls) }
        var isSent = false
        do throws(CallError) {
            let marker = try await freshMarker(by: calls)
            let present = state.read { $0.epoch }
            if present != epoch { (known, epoch) = ([:], present) }
            let expectations = entry.commit?.expectations ?? []
            if let conflict = try await learnRevisions(of: expectations, by: calls) { return refusal(conflict) }
            var request = Etcdserverpb_TxnRequest()
            request.compare = [marker.isUnchanged]
            for expectation in expectations {
                let key = engine.space.key(of: expectation.name)
                request.compare.append(.lastChange(of: key, is: known[expectation.name] ?? 0))
            }
            let (plan, revision) = self.plan(entry, prefersRanges: prefersRanges)
            request.compare += plan.conditions
            request.success = plan.operations
            request.success.append(marker.write(marker.text))
            request.failure = [.read(marker.key)] + expectations.map { .read(engine.space.key(of: $0.name)) }
            let count = max(request.success.count, request.compare.count)
            if count > engine.options.maximumOperations {
                let limit = engine.options.maximumOperations
                return refusal(.error(.tooManyOperations(count, limit: limit, store: engine.name)))
            }
            guard beginAttempt(with: marker) else { return .goesOn }
            isSent = true
            let response = try await calls.commit(request)
            if response.succeeded {
                self.marker?.note(response.header.revision)
                return .committed(response.header.revision)
            }
            let step = judge(response, of: expectations, with: marker)
            // Only the conditions that the mirror is not behind are left.
            if case .goesOn = step, !plan.conditions.isEmpty { return overtaken(plan, at: revision) }
            return step
        } catch {
            return await judge(error, of: entry, ofSentAttempt: isSent, by: calls)
        }
    }

    /// Plans the operations over the mirror, whose revision it returns too.
    private func plan(_ entry: WriteQueue.Entry, prefersRanges: Bool) -> (ClusterWrites.Plan, revision: Int64) {
        let limit = engine.options.maximumOperations - 1
        return state.read { state in
            let plan = entry.writes.plan(
                in: engine.space,
                over: state.mirror,
                preferringRangesUpTo: prefersRanges ? limit : nil
            )
            return (plan, state.mirror?.revision ?? 0)
        }
    }

    /// The step after an attempt that had no effect because others have changed the prefix since a revision.
    private mutating func overtaken(_ plan: ClusterWrites.Plan, at revision: Int64) -> Step {
        guard plan.expectsNoOthers else { return .waitsForWatch(revision) }
        state.change { $0.flight?.isOvertaken = true }
        if prefersRanges { return .waitsForWatch(revision) }
        prefersRanges = true
        return .goesOn
    }

    /// Notes that an attempt is sent, unless the writer has given it up.
    func beginAttempt(with marker: WriterMarker?) -> Bool {
        state.change { state in
            guard state.flight?.isAbandoned == false, !state.isClosed else { return false }
            state.flight?.marker = marker.map { ($0.key, $0.text) }
            // A listing may have begun another history since the transaction was taken from the queue.
            state.flight?.epoch = state.epoch
            state.flight?.unknownAttempts += 1
            return true
        }
    }

    /// Notes that an attempt had no effect.
    func noteFailedAttempt() {
        state.change { $0.flight?.unknownAttempts -= 1 }
    }

    /// Interprets the answer to an attempt whose conditions did not hold.
    private mutating func judge(
        _ response: Etcdserverpb_TxnResponse,
        of expectations: [ClusterCommit.Expectation],
        with marker: WriterMarker
    ) -> Step {
        let found = response.responses.map { $0.responseRange.kvs.first }
        if let present = found.first ?? nil, present.value == marker.text {
            self.marker?.note(present.modRevision)
            return .committed(present.modRevision)
        }
        noteFailedAttempt()
        guard (found.first ?? nil)?.modRevision ?? 0 == marker.revision else { return markerIsLost() }
        for (expectation, entry) in zip(expectations, found.dropFirst()) {
            let header = response.header.revision
            if let conflict = learnRevision(of: expectation, from: entry, at: header) { return refusal(conflict) }
        }
        return .goesOn
    }

    /// Interprets the failure of an attempt, or of a call that prepares one.
    mutating func judge(
        _ error: CallError,
        of entry: WriteQueue.Entry,
        ofSentAttempt wasSent: Bool,
        by calls: any ClusterCalls
    ) async -> Step {
        switch error.kind {
        case .unavailable: return .waits(error)
        case .busy, .compacted:
            if wasSent { noteFailedAttempt() }
            return .waits(error)
        case .leaseEnded:
            if wasSent { noteFailedAttempt() }
            return markerIsLost()
        case .noSpace where wasSent && !isUnmarked: return await judgeWithoutSpace(error, of: entry, by: calls)
        // A lease for the marker needs space too.
        case .noSpace:
            if wasSent { noteFailedAttempt() }
            return await stepWithoutSpace(error, of: entry, by: calls)
        case .tooLarge, .notPermitted, .rejected:
            guard wasSent else { fallthrough }
            noteFailedAttempt()
            return refusal(.writes(.refused(error, store: engine.name)))
        case .unauthorized, .tokenEnded:
            if wasSent { noteFailedAttempt() }
            return refusal(.error(.refused(error, store: engine.name)))
        }
    }

    /// Finds out whether an attempt had an effect for which the cluster says that it has no space.
    ///
    /// The attempt that uses the space up has taken effect, and has the same answer as those that are refused after it.
    private mutating func judgeWithoutSpace(
        _ error: CallError,
        of entry: WriteQueue.Entry,
        by calls: any ClusterCalls
    ) async -> Step {
        guard let marker else { return .waits(error) }
        var request = Etcdserverpb_RangeRequest()
        request.key = marker.key
        do throws(CallError) {
            let present = try await calls.range(request).kvs.first
            if let present, present.value == marker.text {
                self.marker?.note(present.modRevision)
                return .committed(present.modRevision)
            }
        } catch {
            return .waits(error)
        }
        noteFailedAttempt()
        return await stepWithoutSpace(error, of: entry, by: calls)
    }

    /// The step after a refusal for want of space: removals need none; for other writes a waiting writer gets the error at once, and a
    /// write in the background waits for space.
    private mutating func stepWithoutSpace(
        _ error: CallError,
        of entry: WriteQueue.Entry,
        by calls: any ClusterCalls
    ) async -> Step {
        if !isUnmarked, entry.writes.isRemoval, entry.commit?.expectations.isEmpty ?? true {
            if isUndecided, let step = await removeMarker(by: calls) { return step }
            isUnmarked = true
            return .goesOn
        }
        let isWaitedFor = state.read { $0.flight?.commit != nil }
        return isWaitedFor ? refusal(.error(.refused(error, store: engine.name))) : .waits(error)
    }

    /// Goes on with another marker, or without knowing the outcome of the attempts with the present one.
    private mutating func markerIsLost() -> Step {
        marker = nil
        if !isUndecided { return .goesOn }
        return .refused(.error(.outcomeUnknown(store: engine.name, timeout: engine.options.timeout, nil)))
    }

    /// What follows the reason for a refusal.
    func refusal(_ reason: Refusal) -> Step {
        isUndecided ? .givesUp(reason) : .refused(reason)
    }

    /// The marker, which the cluster has; a new one if the present one may not last until the outcome of the transaction is known.
    private mutating func freshMarker(by calls: any ClusterCalls) async throws(CallError) -> WriterMarker {
        let now = ContinuousClock.now
        if let marker, !marker.isFresh(at: now), !isUndecided { self.marker = nil }
        if let marker, marker.isEstablished { return marker }
        var marker = self.marker ?? makeMarker(now)
        self.marker = marker
        // A repeated grant or write changes nothing.
        try await calls.grantLease(marker.lease, seconds: WriterMarker.lifetime)
        let response = try await calls.commit(marker.establishing)
        let present = response.responses.first?.responseRange.kvs.first
        if response.succeeded {
            marker.note(response.header.revision)
        } else if let present, present.value == WriterMarker.beginning {
            marker.note(present.modRevision)
        } else {
            throw CallError(
                kind: .leaseEnded,
                endpoint: "\(calls.address)",
                reason: "the marker is not the store's own"
            )
        }
        self.marker = marker
        return marker
    }

    private func makeMarker(_ now: ContinuousClock.Instant) -> WriterMarker {
        var marker = WriterMarker(in: engine.space, created: now)
        marker.begin()
        state.change { [marker] in _ = $0.leases.insert(marker.lease) }
        return marker
    }

    /// Writes the marker, so that no earlier attempt of the transaction takes effect from here on.
    mutating func giveUp(because reason: Refusal, by calls: any ClusterCalls) async -> Step {
        // Without a marker, the outcome cannot be found out; but no late attempt removes a later write.
        if isUnmarked { return .refused(unknownOutcome()) }
        guard let marker else { return .refused(reason) }
        do throws(CallError) {
            let response = try await calls.commit(marker.givingUp)
            if response.succeeded {
                self.marker?.note(response.header.revision)
                return .refused(reason)
            }
            let present = response.responses.first?.responseRange.kvs.first
            if let present, present.value == marker.text || present.value == marker.refusal {
                self.marker?.note(present.modRevision)
                return present.value == marker.text ? .committed(present.modRevision) : .refused(reason)
            }
            return markerIsLost()
        } catch {
            switch error.kind {
            case .noSpace: return await removeMarker(by: calls) ?? .refused(reason)
            case .unavailable, .busy, .compacted: return .waits(error)
            case .leaseEnded: return markerIsLost()
            case .tooLarge, .unauthorized, .notPermitted, .tokenEnded, .rejected:
                self.marker = nil
                return .refused(unknownOutcome(error))
            }
        }
    }

    /// Removes the marker, which needs no space, so that no earlier attempt of the transaction takes effect from here on.
    ///
    /// - Returns: What follows if an attempt has taken effect, or that is not known; `nil` if none ever does.
    private mutating func removeMarker(by calls: any ClusterCalls) async -> Step? {
        guard let marker else { return nil }
        do throws(CallError) {
            let response = try await calls.commit(marker.removal)
            let present = response.responses.first?.responseRange.kvs.first
            if let present, present.value == marker.text {
                self.marker?.note(present.modRevision)
                return .committed(present.modRevision)
            }
            // The refusal may have been what has used the space up.
            guard response.succeeded || present?.value == marker.refusal else { return markerIsLost() }
            self.marker = nil
            state.change { $0.flight?.unknownAttempts = 0 }
            return nil
        } catch {
            switch error.kind {
            case .unavailable, .busy, .noSpace, .compacted: return .waits(error)
            default:
                self.marker = nil
                return .refused(unknownOutcome(error))
            }
        }
    }

    /// The refusal of a transaction of which nobody can find out whether it has taken effect.
    func unknownOutcome(_ cause: CallError? = nil) -> Refusal {
        .error(.outcomeUnknown(store: engine.name, timeout: engine.options.timeout, cause))
    }
}

extension TransactionSender {
    /// Whether the cluster takes the marker of a transaction that it has refused, so that it refused some of the writes.
    mutating func takesMarker(by calls: any ClusterCalls) async -> Bool {
        guard let marker else { return true }
        do throws(CallError) {
            let response = try await calls.commit(marker.givingUp)
            self.marker = response.succeeded ? marker : nil
            self.marker?.note(response.header.revision)
            return true
        } catch {
            switch error.kind {
            case .busy, .compacted, .tooLarge, .unauthorized, .notPermitted, .tokenEnded, .rejected: break
            // Without a certain answer nobody knows the marker's revision, which the next attempt would expect.
            case .unavailable, .noSpace, .leaseEnded: self.marker = nil
            }
            return error.kind != .notPermitted
        }
    }
}

// MARK: - Expectations

extension TransactionSender {
    /// Finds the revisions at which the keys got the values that a batch expects of them.
    ///
    /// The mirror knows them, unless it has other values; then the cluster is asked, of which the mirror may be behind.
    ///
    /// - Returns: A conflict, if a key has another value.
    private mutating func learnRevisions(
        of expectations: [ClusterCommit.Expectation],
        by calls: any ClusterCalls
    ) async throws(CallError) -> Refusal? {
        var missing: [ClusterCommit.Expectation] = []
        for expectation in expectations where known[expectation.name] == nil {
            let revision: Int64? = state.read { state in
                guard let mirror = state.mirror, !mirror.isUnreadable(expectation.name),
                    mirror.table[expectation.name] == expectation.value
                else { return nil }
                return mirror.revision(of: expectation.name)
            }
            if let revision { known[expectation.name] = revision } else { missing.append(expectation) }
        }
        if missing.isEmpty { return nil }
        var request = Etcdserverpb_TxnRequest()
        request.success = missing.map { .read(engine.space.key(of: $0.name)) }
        let response = try await calls.commit(request)
        for (expectation, answer) in zip(missing, response.responses) {
            let entry = answer.responseRange.kvs.first
            if let conflict = learnRevision(of: expectation, from: entry, at: response.header.revision) {
                return conflict
            }
        }
        return nil
    }

    /// Notes the revision of an entry that has the expected value.
    ///
    /// - Returns: A conflict, if it has another one.
    private mutating func learnRevision(
        of expectation: ClusterCommit.Expectation,
        from entry: Etcdserverpb_KeyValue?,
        at header: Int64
    ) -> Refusal? {
        let revision = entry?.modRevision ?? 0
        do {
            let value = try entry.map { try EntryText.decode($0.value) }
            guard value == expectation.value else {
                return .conflict(
                    name: expectation.name,
                    revision: entry?.modRevision ?? header,
                    isAbsent: entry == nil
                )
            }
        } catch {
            return .error(.unreadableEntry(expectation.name, store: engine.name))
        }
        known[expectation.name] = revision
        return nil
    }
}
#endif
