#if Etcd
import Foundation

/// The store's gRPC client without the store: a connection to one member, and the calls that any store on a cluster needs.
///
/// The connection ends when the client is released. It is renewed before it has made so many calls that swift-nio-http2 closes it: that
/// takes no more than 200 control frames in 30 seconds, and an etcd server sends one, a ping, for each call.
final class RawClient: Sendable {
    /// The calls that one connection makes at most.
    private static let callLimit = 150

    private struct Watching: Sendable {
        let prefix: String
        let receive: @Sendable (Data, Data) -> Void
    }

    private struct State {
        var connection: RawConnection
        var calls = 0
        var watches: [Watching] = []
    }

    private let members: [String]
    private let state: Locked<State>

    /// Connects to the first of some members, and blocks the thread until that has begun.
    init(at members: [String]) throws {
        self.members = members
        state = Locked(State(connection: try RawConnection(at: members)))
    }

    /// Makes calls in a task on the threads of stores, and blocks the thread until it ends.
    func run<Result: Sendable>(
        calls count: Int = 1,
        _ body: @escaping @Sendable (any ClusterCalls) async throws -> Result
    ) throws -> Result {
        try connection(for: count).run(body)
    }

    /// The connection, or a new one if the present one has made too many calls.
    private func connection(for calls: Int) throws -> RawConnection {
        let present: (connection: RawConnection?, watches: [Watching]) = state.withLock { state in
            guard state.calls + calls <= Self.callLimit else { return (nil, state.watches) }
            state.calls += calls
            return (state.connection, [])
        }
        if let connection = present.connection { return connection }
        let connection = try RawConnection(at: members)
        for watching in present.watches { try connection.watch(watching.prefix, watching.receive) }
        // So that no measured call waits until it is connected.
        _ = try connection.run { [prefix = "keyspan-benchmarks/"] calls in
            var request = Etcdserverpb_RangeRequest()
            request.key = Data(prefix.utf8)
            return try await calls.range(request).count
        }
        state.withLock { ($0.connection, $0.calls) = (connection, calls + 2) }
        return connection
    }

    /// Watches all keys with a prefix as long as the client lives, and blocks the thread until the watch is established.
    ///
    /// - Parameter receive: Called with the key and the text of each change; twice for one while the connection is renewed.
    func watch(_ prefix: String, _ receive: @escaping @Sendable (Data, Data) -> Void) throws {
        try connection(for: 1).watch(prefix, receive)
        state.withLock { $0.watches.append(Watching(prefix: prefix, receive: receive)) }
    }
}

extension RawClient {
    /// Writes a number, and blocks the thread until the cluster has it.
    ///
    /// - Returns: The time that the task waited, without that of waking the thread.
    @discardableResult
    func put(_ number: Int, forKey key: String) throws -> Duration {
        let request = Etcdserverpb_TxnRequest.put([(key, number)])
        return try run { calls in
            let start = Stopwatch.wall.now
            _ = try await calls.commit(request)
            return Stopwatch.wall.now - start
        }
    }

    /// Writes numbers from 0 on as the values of keys in turn.
    func fill(_ prefix: String, count: Int) throws {
        for start in stride(from: 0, to: count, by: 100) {
            let names = (start..<min(start + 100, count)).map { ("\(prefix)\(ClusterPlace.name($0))", $0) }
            let request = Etcdserverpb_TxnRequest.put(names)
            _ = try run { try await $0.commit(request) }
        }
    }

    /// Removes all keys with a prefix.
    func remove(_ prefix: String) throws {
        try run { calls in
            var deletion = Etcdserverpb_DeleteRangeRequest()
            (deletion.key, deletion.rangeEnd) = Etcdserverpb_RangeRequest.range(of: prefix)
            var operation = Etcdserverpb_RequestOp()
            operation.requestDeleteRange = deletion
            var request = Etcdserverpb_TxnRequest()
            request.success = [operation]
            _ = try await calls.commit(request)
        }
    }

    /// Reads all entries with a prefix as of one revision.
    ///
    /// - Parameters:
    ///   - prefix: The prefix.
    ///   - pageSize: The most entries that one call reads; 0 for all.
    /// - Returns: Their number.
    func range(_ prefix: String, pageSize: Int64 = 0) throws -> Int {
        // As many calls as are likely: the benchmarks have ten pages.
        try run(calls: pageSize == 0 ? 1 : 10) { calls in
            var request = Etcdserverpb_RangeRequest()
            (request.key, request.rangeEnd) = Etcdserverpb_RangeRequest.range(of: prefix)
            request.limit = pageSize
            var count = 0
            while true {
                let response = try await calls.range(request)
                count += response.kvs.count
                guard response.more, let last = response.kvs.last else { return count }
                request.key = last.key + [0]
                if request.revision == 0 { request.revision = response.header.revision }
            }
        }
    }
}
#endif
