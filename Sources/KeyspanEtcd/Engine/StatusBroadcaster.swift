#if Etcd
@_spi(StoreAuthors) internal import KeyspanCore

/// Passes the status of a store on to those who follow it, each of whom receives the latest one.
final class StatusBroadcaster: Sendable {
    private struct State {
        var continuations: [UInt64: AsyncStream<EtcdStoreStatus>.Continuation] = [:]
        var last: UInt64 = 0
        var sent: EtcdStoreStatus?
    }

    private let state = Locked(State())

    deinit {
        for (_, continuation) in state.withLock({ $0.continuations }) { continuation.finish() }
    }

    /// Sends the present status, unless it is the one that was sent last.
    ///
    /// - Parameter status: Reads the status, under the lock, so that no status overtakes a later one.
    func send(_ status: () -> EtcdStoreStatus) {
        state.withLock { state in
            let status = status()
            if state.sent == status { return }
            state.sent = status
            for continuation in state.continuations.values { continuation.yield(status) }
        }
    }

    /// The present status and all later ones; a slow reader misses those between.
    func updates(from present: () -> EtcdStoreStatus) -> AsyncStream<EtcdStoreStatus> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: EtcdStoreStatus.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let number = state.withLock { state in
            state.last += 1
            state.continuations[state.last] = continuation
            continuation.yield(present())
            return state.last
        }
        continuation.onTermination = { [weak self] _ in
            // Released after the lock, which the stream's own lock may be within.
            let ended = self?.state.withLock { $0.continuations.removeValue(forKey: number) }
            withExtendedLifetime(ended) {}
        }
        return stream
    }
}
#endif
