#if Etcd
@_spi(StoreAuthors) internal import KeyspanCore

/// The state of a TCP connection: the number of streams that it takes, and its end, which happens once.
final class ConnectionState: Sendable {
    private let isOver = Flag()
    private let state = Locked<(hasBegun: Bool, streams: Int, error: CallError?)>((false, .max, nil))
    private let member: String

    init(of address: MemberAddress) {
        member = "\(address)"
    }

    /// Notes a new TCP connection.
    ///
    /// The transport makes another one when it has lost the first, or the member is about to close that. The other end may be another server
    /// then, so that is the end.
    ///
    /// - Returns: Whether it is the first one.
    func begin() -> Bool {
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        if !isFirst { end() }
        return isFirst
    }

    /// The number of streams that the member takes.
    var streams: Int {
        get { state.withLock { $0.streams } }
        set { state.withLock { $0.streams = newValue } }
    }

    /// Ends the connection; the first reason counts.
    func end(because error: CallError? = nil) {
        let error = error ?? CallError(kind: .unavailable, endpoint: member, reason: "the connection was lost")
        state.withLock { $0.error = $0.error ?? error }
        isOver.set()
    }

    /// Waits until the connection has ended, or the task is canceled.
    func waitUntilEnded() async -> CallError {
        await isOver.wait()
        return state.withLock { $0.error }
            ?? CallError(kind: .unavailable, endpoint: member, reason: "the task was canceled")
    }
}
#endif
