#if Etcd
@_spi(StoreAuthors) internal import KeyspanCore

/// How the engine finds out that a watch which looks well has lost a change, and reports that no member answers.
extension ClusterEngine {
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
        calls.leave()
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
