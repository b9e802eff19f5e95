#if Etcd
@_spi(StoreAuthors) internal import KeyspanCore

/// How the use of the cluster ends: the store sends waiting writes, and gives back its markers and leases.
extension ClusterEngine {
    /// Refuses writes from here on, and ends the tasks once the writes that wait have been sent and the leases are given back.
    ///
    /// Returns at once. Later calls do nothing.
    ///
    /// - Parameter reportsLoss: Whether writes that could not be sent within the timeout are reported.
    func release(reportingLoss reportsLoss: Bool = true) {
        let isFirst = state.change { state in
            defer { state.isReleased = true }
            return !state.isReleased && !state.isClosed
        }
        guard isFirst else { return }
        // The process may end soon.
        flushCache()
        Task(executorPreference: executor) { await self.end(reportingLoss: reportsLoss) }
    }

    private func end(reportingLoss reportsLoss: Bool) async {
        let isIdle = await state.wait(upTo: options.timeout, on: executor) { $0.isClosed || $0.isIdle }
        state.change { $0.isClosed = true }
        let lost = isIdle ? 0 : state.read { $0.queue.pendingNames.count }
        // The answer to an attempt may be on its way, or the connection just be made anew.
        _ = await state.wait(upTo: options.callTimeout, on: executor) { state in
            state.leases.isEmpty || state.flight == nil && state.calls != nil
        }
        if let calls = state.read({ $0.calls }) { await giveBackLeases(by: calls) }
        close()
        if reportsLoss, lost > 0 { report([.writesLost(count: lost, store: name)]) }
    }

    /// Waits until the writes that wait have been sent and the leases are given back, and ends the tasks.
    ///
    /// Blocks the thread at most for the timeout if writes wait, and for the timeout of a call.
    ///
    /// - Throws: `StoreError`, as ``synchronize()`` does.
    func releaseAndWait() throws(StoreError) {
        release(reportingLoss: false)
        // Other threads may wait for writes, which end within the timeout too.
        _ = state.block(upTo: options.timeout) { $0.isClosed || $0.isIdle }
        defer {
            _ = state.block(upTo: options.callTimeout) { $0.isEnded }
            flushCache()
        }
        try synchronize()
    }

    /// Ends the tasks.
    func close() {
        state.change { state in (state.isClosed, state.isEnded) = (true, true) }
        for task in tasks.withLock({ tasks in
            defer { tasks = [] }
            return tasks
        }) {
            task.cancel()
        }
        // Not on this thread, which may be one of those for the calls of all stores.
        cache?.flushInBackground()
    }

    /// Revokes leases that no transaction needs anymore, which removes their markers.
    ///
    /// A lease that cannot be revoked expires. The outcome of a transaction need not be known before: attempts that arrive later expect the
    /// marker, and have no effect without it.
    ///
    /// - Parameters:
    ///   - present: The lease of the marker that is in use.
    ///   - calls: The connection.
    func giveBackLeases(except present: Int64? = nil, by calls: any ClusterCalls) async {
        for lease in state.read({ $0.leases }) where lease != present {
            do throws(CallError) {
                try await calls.revokeLease(lease)
            } catch {
                // The next transaction, or the end of the store, is another opportunity.
                if error.kind == .unavailable || error.kind == .busy { return }
            }
            state.change { _ = $0.leases.remove(lease) }
        }
    }
}
#endif
