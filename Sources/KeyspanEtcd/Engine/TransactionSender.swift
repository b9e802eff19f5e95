#if Etcd
@_spi(StoreAuthors) internal import KeyspanCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Sends the writes of a store, one transaction after the other, each until its outcome is known.
///
/// An attempt whose answer is missing may have taken effect, or may do so late. Each attempt of a transaction expects the marker of the
/// store as the transaction before left it, so that at most one of them has an effect, and the marker says which transaction that was.
struct TransactionSender {
    let engine: ClusterEngine
    private var marker: WriterMarker?
    /// The revisions of entries of which the cluster has said that they have the values that the present transaction expects.
    private var known: TextDictionary<Int64> = [:]
    /// The number of the history that these are of.
    private var epoch = 0

    private var state: SharedState { engine.state }

    init(of engine: ClusterEngine) {
        self.engine = engine
    }

    /// Sends writes until the engine is closed.
    mutating func run() async {
        while await state.wait(on: engine.executor, until: \.hasWork), !state.read({ $0.isClosed }) {
            if let calls = state.read({ $0.audit == nil ? nil : $0.calls }) { await engine.audit(by: calls) }
            guard let entry = state.change({ $0.takeOff() }) else { continue }
            known = [:]
            marker?.begin()
            await transmit(entry)
            let isOver = state.change { state in
                state.flight = nil
                return state.isReleased && state.queue.entries.isEmpty
            }
            if isOver { engine.close() }
        }
    }

    /// Makes attempts until the outcome of a transaction is known.
    private mutating func transmit(_ entry: WriteQueue.Entry) async {
        var backoff = Backoff(first: .milliseconds(20), longest: .seconds(1))
        /// Why the transaction must not take effect anymore.
        var refusal: Refusal?
        while let calls = await connection() {
            if refusal == nil, state.read({ $0.flight?.isAbandoned ?? false }) { refusal = .isAbandoned }
            let step: Step
            if let refusal, !isUndecided {
                step = .refused(refusal)
            } else if let refusal {
                step = await giveUp(because: refusal, by: calls)
            } else {
                step = await attempt(entry, by: calls)
            }
            // The watch may know the outcome already.
            if let revision = state.read({ $0.flight?.revision }) { return await settle(entry, at: revision) }
            switch step {
            case .committed(let revision): return await settle(entry, at: revision)
            case .refused(let reason): return await refuse(entry, because: reason, by: calls)
            case .givesUp(let reason): refusal = reason
            case .goesOn: break
            case .waitsForWatch(let revision):
                _ = await state.wait(upTo: engine.options.callTimeout, on: engine.executor) { state in
                    state.isClosed || state.calls == nil || (state.mirror?.revision ?? 0) > revision
                }
            case .waits(let error):
                state.change { $0.failure = error }
                if error.kind == .unavailable { calls.end() }
                await engine.executor.pause(for: backoff.next())
            }
        }
        // Nobody waits for it, and it has had no effect.
        if state.read({ $0.flight?.isAbandoned ?? false }) { engine.drop(entry) }
    }

    /// Waits for a connection.
    ///
    /// - Returns: `nil` if the engine is closed, or if nobody waits for a transaction that was never sent.
    private func connection() async -> (any ClusterCalls)? {
        let isReady: @Sendable (ClusterState) -> Bool = { state in
            state.calls != nil || state.isClosed || state.flight?.isOver ?? true
        }
        guard await state.wait(on: engine.executor, until: isReady) else { return nil }
        return state.read { $0.isClosed || $0.flight?.isOver ?? true ? nil : $0.calls }
    }

    /// Whether an attempt was sent of which the outcome is not known.
    private var isUndecided: Bool { state.read { ($0.flight?.unknownAttempts ?? 0) > 0 } }
}

extension ClusterState.Flight {
    /// Whether the transaction was given up before it was sent.
    fileprivate var isOver: Bool { isAbandoned && unknownAttempts == 0 }
}

extension TransactionSender {
    /// Why a transaction must not take effect.
    enum Refusal {
        /// The writer no longer waits.
        case isAbandoned
        /// A key has another value than the writer expected, which a mirror of a revision shows.
        case conflict(name: String, revision: Int64)
        /// The cluster refuses it.
        case error(StoreError)
    }

    /// What follows an attempt.
    enum Step {
        /// It has taken effect.
        case committed(Int64)
        /// It never takes effect.
        case refused(Refusal)
        /// It must not take effect, and an attempt of it still may.
        case givesUp(Refusal)
        /// Another attempt can be made at once.
        case goesOn
        /// Another attempt can be made when the mirror is at a later revision.
        case waitsForWatch(Int64)
        /// Another attempt can be made after a while.
        case waits(CallError)
    }
}

// MARK: - Attempts

extension TransactionSender {
    /// Makes one attempt.
    private mutating func attempt(_ entry: WriteQueue.Entry, by calls: any ClusterCalls) async -> Step {
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
        case .noSpace: return .waits(error)
        case .tooLarge, .unauthorized, .tokenEnded, .rejected:
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
    private mutating func giveUp(because reason: Refusal, by calls: any ClusterCalls) async -> Step {
        guard let marker else { return .refused(reason) }
        var request = Etcdserverpb_TxnRequest()
        request.compare = [marker.isUnchanged]
        request.success = [marker.write(marker.refusal)]
        request.failure = [.read(marker.key)]
        do throws(CallError) {
            let response = try await calls.commit(request)
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
            case .tooLarge, .unauthorized, .tokenEnded, .rejected:
                self.marker = nil
                return .refused(
                    .error(.outcomeUnknown(store: engine.name, timeout: engine.options.timeout, error))
                )
            }
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
                return .conflict(name: expectation.name, revision: entry?.modRevision ?? header)
            }
        } catch {
            return .error(.unreadableEntry(expectation.name, store: engine.name))
        }
        known[expectation.name] = revision
        return nil
    }
}

// MARK: - Outcomes

extension TransactionSender {
    /// Ends a transaction that the cluster has committed, once the watch has come so far.
    ///
    /// Readers see changes in the order of their revisions, so nothing is shown before that, however long it takes.
    private mutating func settle(_ entry: WriteQueue.Entry, at revision: Int64) async {
        marker?.note(revision)
        let epoch = state.change { state in
            state.flight?.revision = revision
            state.failure = nil
            return state.flight?.epoch ?? state.epoch
        }
        // A restore from a backup may have thrown the transaction away.
        let isShown: @Sendable (ClusterState) -> Bool = { state in
            state.isClosed || state.epoch != epoch || (state.mirror?.revision ?? 0) >= revision
        }
        let calls = state.read { $0.calls }
        if await !state.wait(upTo: engine.options.callTimeout, on: engine.executor, until: isShown) {
            // The watch of this connection does not deliver.
            calls?.end()
            if entry.commit != nil { _ = await state.wait(on: engine.executor, until: isShown) }
        }
        engine.finish(entry, committedAt: revision, in: epoch)
    }

    /// Ends a transaction that never takes effect.
    private func refuse(_ entry: WriteQueue.Entry, because reason: Refusal, by calls: any ClusterCalls) async {
        switch reason {
        case .isAbandoned:
            engine.drop(entry)
        case .error(let error):
            engine.refuse(entry, error)
        case .conflict(let name, let revision):
            // A caller that reads the value after a conflict has to see the one that decided.
            let expected = entry.commit?.expectations.first { $0.name.hasSameUTF8(as: name) }?.value
            let isShown = await state.wait(upTo: engine.options.callTimeout, on: engine.executor) { state in
                guard let mirror = state.mirror else { return state.isClosed }
                // A key that was removed meanwhile may not be changed again up to the revision.
                return state.isClosed || mirror.revision >= revision || mirror.table[name] != expected
            }
            if isShown { return engine.refuse(entry, .conflict(key: name, store: engine.name)) }
            calls.end()
            let reason = "the watch has not come to the change that decided"
            let cause = CallError(kind: .unavailable, endpoint: "\(calls.endpoint)", reason: reason)
            engine.refuse(entry, .conflict(key: name, store: engine.name, unseenBecause: cause))
        }
    }
}
#endif
