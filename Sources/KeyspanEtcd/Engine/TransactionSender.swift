#if Etcd
@_spi(StoreAuthors) internal import KeyspanCore

/// Sends the writes of a store, one transaction after the other, each until its outcome is known.
///
/// An attempt whose answer is missing may have taken effect, or may do so late. Each attempt of a transaction expects the marker of the
/// store as the transaction before left it, so that at most one of them has an effect, and the marker says which transaction that was.
struct TransactionSender {
    let engine: ClusterEngine
    var marker: WriterMarker?
    /// The revisions of entries of which the cluster has said that they have the values that the present transaction expects.
    var known: TextDictionary<Int64> = [:]
    /// The number of the history that these are of.
    var epoch = 0
    /// Whether the present transaction removes ranges of keys, because others change the prefix faster than it can name their keys.
    var prefersRanges = false
    /// Whether the present transaction only removes keys and is sent without the marker, for which the cluster has no space.
    var isUnmarked = false
    /// The revision up to which the keys that it removes may have changed; `nil` before its first attempt without the marker.
    var removedUpTo: Int64?

    var state: SharedState { engine.state }

    init(of engine: ClusterEngine) {
        self.engine = engine
    }

    /// Sends writes until the engine is closed.
    mutating func run() async {
        while await state.wait(on: engine.executor, until: \.hasWork), !state.read({ $0.isClosed }) {
            if let calls = state.read({ $0.audit == nil ? nil : $0.calls }) { await engine.audit(by: calls) }
            guard let entry = state.change({ $0.takeOff() }) else { continue }
            known = [:]
            (prefersRanges, isUnmarked, removedUpTo) = (false, false, nil)
            marker?.begin()
            await transmit(entry)
            state.change { $0.flight = nil }
            if let calls = state.read({ $0.calls }) { await engine.giveBackLeases(except: marker?.lease, by: calls) }
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
                state.change { state in
                    state.failure = error
                    state.flight?.isOvertaken = false
                }
                if error.kind == .unavailable { calls.end() }
                await engine.executor.pause(for: backoff.next())
            }
        }
        if state.read({ $0.flight?.isAbandoned ?? false }) {
            // Nobody waits for it, and it has had no effect.
            engine.drop(entry)
        } else if isUndecided, entry.commit != nil {
            engine.refuse(entry, .outcomeUnknown(store: engine.name, timeout: engine.options.timeout, nil))
        }
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
    var isUndecided: Bool { state.read { ($0.flight?.unknownAttempts ?? 0) > 0 } }
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
        /// A key has another value than the writer expected, or none, which a mirror of a revision shows.
        case conflict(name: String, revision: Int64, isAbsent: Bool)
        /// The cluster refuses it whatever it writes, or nobody can find out anymore whether it has taken effect.
        case error(StoreError)
        /// The cluster refuses some of its writes.
        case writes(StoreError)
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

// MARK: - Outcomes

extension TransactionSender {
    /// Ends a transaction that the cluster has committed, once the watch has come so far.
    ///
    /// Readers see changes in the order of their revisions, so nothing is shown before that, however long it takes.
    private mutating func settle(_ entry: WriteQueue.Entry, at revision: Int64) async {
        if !isUnmarked { marker?.note(revision) }
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
    private mutating func refuse(
        _ entry: WriteQueue.Entry,
        because reason: Refusal,
        by calls: any ClusterCalls
    ) async {
        switch reason {
        case .isAbandoned:
            engine.drop(entry)
        case .writes(let error):
            // One refused key must not take others along that merely were on the way together with it.
            let isDivisible = entry.commit == nil && entry.writes.isDivisible
            if isDivisible, await takesMarker(by: calls), state.change({ $0.queue.divide(entry.id) }) { return }
            engine.refuse(entry, error)
        case .error(let error):
            engine.refuse(entry, error)
        case .conflict(let name, let revision, let isAbsent):
            // A caller that reads the value after a conflict has to see the one that decided.
            let isShown = await state.wait(upTo: engine.options.callTimeout, on: engine.executor) { state in
                guard let mirror = state.mirror else { return state.isClosed }
                // Of an absent key, the revision is that of the answer, up to which nothing else may change.
                return state.isClosed || mirror.revision >= revision || isAbsent && mirror.table[name] == nil
            }
            if isShown { return engine.refuse(entry, .conflict(key: name, store: engine.name)) }
            calls.end()
            let reason = "the watch has not come to the change that decided"
            let cause = CallError(kind: .unavailable, endpoint: "\(calls.address)", reason: reason)
            engine.refuse(entry, .conflict(key: name, store: engine.name, unseenBecause: cause))
        }
    }
}
#endif
