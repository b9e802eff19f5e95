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
            let (plan, revision) = state.read { state in
                (entry.writes.plan(in: engine.space, over: state.mirror), state.mirror?.revision ?? 0)
            }
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
            if case .goesOn = step, !plan.conditions.isEmpty { return .waitsForWatch(revision) }
            return step
        } catch {
            return await judge(error, ofSentAttempt: isSent, by: calls)
        }
    }

    /// Notes that an attempt is sent, unless the writer has given it up.
    private func beginAttempt(with marker: WriterMarker) -> Bool {
        state.change { state in
            guard state.flight?.isAbandoned == false else { return false }
            state.flight?.marker = (marker.key, marker.text)
            state.flight?.unknownAttempts += 1
            return true
        }
    }

    /// Notes that an attempt had no effect.
    private func noteFailedAttempt() {
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
    private mutating func judge(
        _ error: CallError,
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
        case .noSpace where wasSent: return await judgeWithoutSpace(error, by: calls)
        // A lease for the marker needs space too.
        case .noSpace: return stepWithoutSpace(error)
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
    private mutating func judgeWithoutSpace(_ error: CallError, by calls: any ClusterCalls) async -> Step {
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
        return stepWithoutSpace(error)
    }

    /// The step after a refusal for want of space: a waiting writer gets the error at once, and a write in the background waits for space.
    private func stepWithoutSpace(_ error: CallError) -> Step {
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
    private func refusal(_ reason: Refusal) -> Step {
        isUndecided ? .givesUp(reason) : .refused(reason)
    }

    /// The marker; a new one if the present one may not last until the outcome of the transaction is known.
    private mutating func freshMarker(by calls: any ClusterCalls) async throws(CallError) -> WriterMarker {
        let now = ContinuousClock.now
        if let marker, marker.isFresh(at: now) || isUndecided { return marker }
        let lease = try await calls.grantLease(seconds: WriterMarker.lifetime)
        var marker = WriterMarker(in: engine.space, lease: lease, granted: now)
        marker.begin()
        self.marker = marker
        return marker
    }

    /// Writes the marker, so that no earlier attempt of the transaction takes effect from here on.
    mutating func giveUp(because reason: Refusal, by calls: any ClusterCalls) async -> Step {
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
            case .unavailable, .busy, .noSpace, .compacted: return .waits(error)
            case .leaseEnded: return markerIsLost()
            case .tooLarge, .unauthorized, .notPermitted, .tokenEnded, .rejected:
                self.marker = nil
                return .refused(
                    .error(.outcomeUnknown(store: engine.name, timeout: engine.options.timeout, error))
                )
            }
        }
    }
}

extension TransactionSender {
    /// Whether the cluster takes the marker of a transaction that it has refused, so that it refused some of the writes.
    mutating func takesMarker(by calls: any ClusterCalls) async -> Bool {
        guard let marker else { return true }
        // Without a certain answer nobody knows the marker's revision, which the next attempt would expect.
        self.marker = nil
        do throws(CallError) {
            let response = try await calls.commit(marker.givingUp)
            if response.succeeded {
                self.marker = marker
                self.marker?.note(response.header.revision)
            }
            return true
        } catch {
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
