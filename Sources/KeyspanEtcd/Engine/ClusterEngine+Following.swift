#if Etcd
@_spi(StoreAuthors) internal import KeyspanCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// How the mirror follows the cluster: it lists the prefix at one revision, watches it from there, and goes on with another member when the
/// connection breaks.
extension ClusterEngine {
    /// Follows one member after the other until the engine is closed.
    func follow() async {
        while !Task.isCancelled {
            do throws(CallError) {
                try await connector.withConnection { [self] calls throws(CallError) in
                    try await follow(calls)
                }
                endConnection(after: nil)
            } catch {
                endConnection(after: error)
            }
        }
    }

    /// Follows one member until that fails.
    private func follow(_ calls: any ClusterCalls) async throws(CallError) {
        try await follow(calls, by: try await beginProof(by: calls))
    }

    private func follow(_ calls: any ClusterCalls, by watch: ClusterWatch) async throws(CallError) {
        var request = Etcdserverpb_WatchCreateRequest()
        (request.key, request.rangeEnd) = (space.start, space.end)
        // Never later than the last revision that is here already: etcd before 3.4.36, 3.5.18 and 3.6 can lose a removal at the first
        // revision of a watch, if the history was compacted up to just there (issues 18089 and 19179 of etcd).
        request.startRevision = watch.start
        (request.progressNotify, request.fragment) = (true, true)
        endUnlessProven(watch, of: calls)
        do throws(CallError) {
            try await calls.watch(request) { [self] response throws(CallError) in
                try receive(response, of: watch, from: calls)
            }
        } catch {
            guard error.kind == .compacted, !watch.isProven, !state.read(\.needsListing) else { throw error }
            // The recent changes are no longer kept, but the entries as of the mirror's revision are, and were compared.
            guard let revision = state.read({ $0.mirror?.revision }) else { throw error }
            try await follow(calls, by: ClusterWatch(provenAt: revision))
        }
    }

    /// Ends a session whose watch is silent before it has proven the history.
    ///
    /// A member sends up to 1000 revisions as one response in parts of 2 MB, each of which may take longer than a call.
    private func endUnlessProven(
        _ watch: ClusterWatch,
        of calls: any ClusterCalls,
        after count: Int = 0,
        silences: Int = 0
    ) {
        executor.run(after: options.callTimeout) { [weak self, weak calls] in
            guard let self, let calls, state.read({ $0.calls !== calls && !$0.isClosed }) else { return }
            let present = watch.responseCount
            let silences = present == count ? silences + 1 : 0
            // The member does not answer, or does not deliver what it has; probes find a connection that is lost.
            if silences >= (present == 0 ? 1 : Self.longestSilence) {
                // A proof that is not delivered now may not be the next time.
                if present > 0, !watch.isProven { state.change { $0.needsListing = true } }
                return calls.end()
            }
            endUnlessProven(watch, of: calls, after: present, silences: silences)
        }
    }

    /// The longest time between two parts of the missed changes, in call timeouts.
    private static let longestSilence = 10

    /// Returns to the state before a connection, from which the next one resumes, and notes the failure of a member.
    private func endConnection(after error: CallError?) {
        let (newOutage, age): (Int?, TimeInterval) = state.change { state in
            // Each answer that all members agree on was as fresh as the watch.
            if state.status.staleSince == nil, let proof = state.calls?.lastProof {
                state.freshAt = max(state.freshAt ?? proof, proof)
            }
            state.calls = nil
            state.failure = error
            state.failures += 1
            state.status.endpoint = nil
            state.status.problem = error?.description
            let isNews = !state.isOutage
            if isNews {
                state.isOutage = true
                state.outages += 1
            }
            state.status.staleSince = state.status.staleSince ?? state.freshAt ?? Date()
            let age = state.status.staleSince.map { max(0, -$0.timeIntervalSinceNow) } ?? 0
            return (isNews && !state.isClosed ? state.outages : nil, age)
        }
        if let newOutage {
            activity.noteStaleness(age: .seconds(age))
            reportDisconnectionSoon(of: newOutage)
        }
        publishStatus()
    }

    /// Notes that the watch is established, to a member that has the history of the mirror.
    func beginConnection(by calls: any ClusterCalls) {
        state.change { state in
            state.calls = calls
            (state.failure, state.failures) = (nil, 0)
            (state.status.endpoint, state.status.problem) = ("\(calls.address)", nil)
        }
        publishStatus()
    }

    /// Notes that the mirror is up to date.
    private func noteFreshness() {
        let wasStale = state.change { state in
            defer { (state.freshAt, state.status.staleSince, state.isOutage) = (Date(), nil, false) }
            return state.status.staleSince != nil
        }
        guard wasStale else { return }
        activity.noteReading()
        activity.noteAcceptance()
        deliverActivity()
        publishStatus()
    }

    // MARK: - Responses of the watch

    private func receive(
        _ response: Etcdserverpb_WatchResponse,
        of watch: ClusterWatch,
        from calls: any ClusterCalls
    ) throws(CallError) {
        if response.canceled { throw cancellation(response, of: watch, from: calls) }
        let revisions = watch.take(response)
        do {
            for revision in revisions {
                if revision.number > state.read({ $0.mirror?.revision ?? 0 }) {
                    try conclude(watch, isRequired: true, by: calls)
                    try admit(revision)
                } else {
                    try watch.takeAgain(revision)
                }
            }
            if watch.isTooLong { throw ClusterWatch.TooLong() }
            try conclude(watch, isRequired: false, by: calls)
        } catch {
            let isGap = !(error is HistoryProof.Refutation)
            state.change { state in
                if isGap { state.needsListing = true } else { state.refuteHistory() }
            }
            throw CallError(
                kind: .compacted,
                endpoint: "\(calls.address)",
                reason: error is ClusterWatch.TooLong
                    ? "too many changes are between those that the store knows"
                    : isGap ? "the watch has skipped a change" : "the cluster has another history, as after a restore"
            )
        }
        // Until the history is proven, its revisions say nothing about the mirror.
        guard !response.fragment, watch.isProven else { return }
        if revisions.isEmpty, !response.created { noteProgress(to: response.header.revision) }
        if watch.isFull || response.created && !watch.isListed {
            return noteFreshnessUnlessMoreArrives(at: watch, of: calls)
        }
        noteFreshness()
    }

    /// Notes that the mirror is up to date if the member delivers nothing more for a while.
    private func noteFreshnessUnlessMoreArrives(at watch: ClusterWatch, of calls: any ClusterCalls) {
        let count = watch.responseCount
        executor.run(after: min(options.callTimeout, .seconds(1))) { [weak self, weak calls] in
            guard let self, let calls, watch.responseCount == count, state.read({ $0.calls === calls }) else { return }
            noteFreshness()
        }
    }

    private func cancellation(
        _ response: Etcdserverpb_WatchResponse,
        of watch: ClusterWatch,
        from calls: any ClusterCalls
    ) -> CallError {
        let reason = response.cancelReason
        let kind: CallError.Kind
        if response.compactRevision > 0 || reason.contains("compacted") {
            state.change { state in
                let isKept = response.compactRevision > 0 && response.compactRevision <= state.mirror?.revision ?? 0
                if watch.isProven || !isKept { state.needsListing = true }
            }
            kind = .compacted
        } else if reason.contains("permission denied") {
            kind = .notPermitted
        } else {
            kind = .unavailable
        }
        return CallError(
            kind: kind,
            endpoint: "\(calls.address)",
            reason: reason.isEmpty ? "the member canceled the watch" : reason
        )
    }

    /// Lets all changes of one revision take effect, as one change.
    private func admit(_ revision: RevisionAssembly.Revision) throws(Mirror.Gap) {
        guard revision.number > state.read({ $0.mirror?.revision ?? 0 }) else { return }
        var markers = ClusterKeys<Mirror.Marker>()
        for event in revision.events where event.type == .put {
            markers[event.kv.key] = Mirror.Marker(text: event.kv.value, revision: revision.number)
        }
        let own = state.change { [markers] in $0.claimCommit(in: markers) }
        var isGap = false
        var notices: [EtcdNotice] = []
        let start = activity.start
        var isChange = false
        contents.merge(
            isQuiet: own?.isQuiet ?? false,
            in: own?.scope,
            by: own?.thread ?? .current,
            deliveringInBackground: own == nil
        ) { table in
            let outcome: (effect: Mirror.Effect, entries: [PropertyListChange.Entry])? = state.change { state in
                guard let effect = try? state.mirror?.apply(revision.events, of: revision.number) else { return nil }
                let uncovered = state.noteMarkers(effect.markers)
                return (effect, state.show(effect.delta, uncovering: uncovered, in: &table))
            }
            guard let outcome else {
                isGap = true
                return []
            }
            notices = outcome.effect.unreadable.map { $0.notice(store: name) }
            isChange = !outcome.entries.isEmpty
            return outcome.entries
        }
        if isGap {
            // The next listing shows it.
            if let own {
                own.resolve(.failure(.notShown(store: name, timeout: options.timeout)))
                state.change { $0.flight?.isAbandoned = true }
            }
            throw Mirror.Gap()
        }
        if let own {
            own.resolve(.success(()))
        } else {
            if isChange { activity.noteReload(since: start) }
            contents.deliver()
            deliverActivity()
        }
        report(notices)
        updateCache()
        publishStatus()
    }

    /// Notes that all changes up to a revision are here, and lets the number of entries be compared.
    private func noteProgress(to revision: Int64) {
        state.change { state in
            state.mirror?.advance(to: revision)
            state.noteRevision()
            if let mirror = state.mirror, mirror.revision == revision { state.audit = (revision, mirror.entryCount) }
        }
        // The values are known to be those of the cluster at this time.
        updateCache()
        publishStatus()
    }
}

extension Mirror.UnreadableEntry {
    /// The notice of the entry.
    func notice(store: String) -> EtcdNotice {
        if let name, let error { return .unreadable(name, store: store, error) }
        return .foreign(KeySpace.description(of: key), store: store)
    }
}

extension ClusterState {
    /// Returns the waiting writer, if some markers have that of its transaction, whose outcome it then gets.
    ///
    /// It is returned once. While the task that sends writes waits for a connection, a listing shows the same marker again: its changes are
    /// those of others, for a writer that no longer waits would not deliver them.
    mutating func claimCommit(in markers: ClusterKeys<Mirror.Marker>) -> ClusterCommit? {
        guard let flight, let commit = flight.commit, !flight.isAbandoned, !flight.isClaimed,
            let marker = flight.marker,
            markers[marker.key]?.text == marker.text
        else { return nil }
        self.flight?.isClaimed = true
        return commit
    }

    /// Notes the revision of the mirror where people see it, and forgets what waited for it.
    ///
    /// - Returns: The writes that no longer lie over the mirror.
    @discardableResult
    mutating func noteRevision() -> [ClusterWrites] {
        guard let mirror else { return [] }
        status.revision = mirror.revision
        status.isFromCache = false
        let forgotten = queue.forgetAcknowledged(upTo: mirror.revision)
        status.pendingKeys = queue.pendingKeys
        return forgotten
    }

    /// Notes the markers of a change, one of which may be that of the transaction whose outcome is not known yet.
    ///
    /// - Returns: The writes that no longer lie over the mirror.
    mutating func noteMarkers(_ markers: ClusterKeys<Mirror.Marker>) -> [ClusterWrites] {
        var uncovered: [ClusterWrites] = []
        if let flight, let marker = flight.marker, let found = markers[marker.key], found.text == marker.text {
            self.flight?.revision = found.revision
            if let entry = queue.remove(flight.entry) { uncovered.append(entry.writes) }
        }
        return uncovered + noteRevision()
    }

    /// Shows changes of the mirror in the table that readers see, under the writes that the cluster does not have yet.
    ///
    /// - Parameters:
    ///   - delta: The changes.
    ///   - uncovered: Writes that no longer lie over the mirror, which may have other values of their keys than they.
    ///   - table: The table that readers see.
    func show(
        _ delta: TableDelta,
        uncovering uncovered: [ClusterWrites],
        in table: inout PropertyListTable
    ) -> [PropertyListChange.Entry] {
        if uncovered.contains(where: \.pending.removesAll) {
            let visible = queue.visible(over: base)
            defer { table = visible }
            return table.differences(to: visible)
        }
        var visible = delta
        for writes in uncovered {
            for name in writes.names where !delta.writes(name) { visible.write(base[name], forKey: name) }
        }
        for name in visible.writes.keys where queue.decides(name) { visible.forget(name) }
        return table.changes(by: visible)
    }
}
#endif
