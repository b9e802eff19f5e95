#if Etcd
@_spi(StoreAuthors) internal import KeyspanCore

/// How the engine finds out that a connection which looks well no longer brings changes.
extension ClusterEngine {
    /// The time between two probes, in call timeouts.
    private static let probeInterval = 10

    /// Asks the member of a connection from time to time, and ends the connection if it does not answer.
    ///
    /// The pings of the transport find a member that does not answer at all. One whose disk hangs still answers these and keeps its watches
    /// open, and has no changes to send; but a read that all members agree on waits in vain.
    func probe(_ calls: any ClusterCalls) {
        executor.run(after: options.callTimeout * Self.probeInterval) { [weak self, weak calls] in
            guard let self, let calls, state.read({ $0.calls === calls && !$0.isClosed }) else { return }
            Task(executorPreference: executor) {
                var request = Etcdserverpb_RangeRequest()
                (request.key, request.countOnly) = (self.space.start, true)
                do throws(CallError) {
                    _ = try await calls.range(request)
                } catch {
                    if error.kind == .unavailable { return calls.end() }
                }
                self.probe(calls)
            }
        }
    }

    /// Compares the number of entries with that of the cluster, and lists anew if a change was lost.
    func audit(by calls: any ClusterCalls) async {
        guard
            let (revision, count) = state.change({ state in
                defer { state.audit = nil }
                return state.audit
            })
        else { return }
        var request = Etcdserverpb_RangeRequest()
        (request.key, request.rangeEnd, request.countOnly) = (space.start, space.end, true)
        request.revision = revision
        // A failure says nothing about the entries.
        guard let response = try? await calls.range(request), response.count != count else { return }
        state.change { $0.needsListing = true }
        calls.end()
    }

    /// Reports that no member answers, if that lasts; until the store is open, whoever opens it receives the failure.
    ///
    /// - Parameter outage: The number of the outage.
    func reportDisconnectionSoon(of outage: Int) {
        executor.run(after: .seconds(5)) { [weak self] in
            guard let self else { return }
            let (isOpening, failure) = state.read { state in
                guard !state.isClosed, state.outages == outage else { return (false, CallError?.none) }
                let isOpen = state.mirror != nil || state.status.isFromCache
                return (!isOpen, state.calls == nil ? state.failure : nil)
            }
            if isOpening { return reportDisconnectionSoon(of: outage) }
            if let failure { report([.disconnected(store: name, failure)]) }
        }
    }
}
#endif
