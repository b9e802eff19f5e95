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

    /// Sends a status, unless it is the one that was sent last.
    func send(_ status: EtcdStoreStatus) {
        let continuations: [AsyncStream<EtcdStoreStatus>.Continuation] = state.withLock { state in
            if state.sent == status { return [] }
            state.sent = status
            return Array(state.continuations.values)
        }
        for continuation in continuations { continuation.yield(status) }
    }

    /// The present status and all later ones; a slow reader misses those between.
    func updates(from present: EtcdStoreStatus) -> AsyncStream<EtcdStoreStatus> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: EtcdStoreStatus.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let number = state.withLock { state in
            state.last += 1
            state.continuations[state.last] = continuation
            return state.last
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.continuations.removeValue(forKey: number) }
        }
        continuation.yield(present)
        return stream
    }
}
#endif
