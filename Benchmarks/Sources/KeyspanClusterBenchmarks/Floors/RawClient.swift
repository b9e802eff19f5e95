#if Etcd
import Dispatch
import Foundation

/// The store's gRPC client without the store: a connection to one member, and the calls that any store on a cluster needs.
///
/// The connection ends when the client is released.
final class RawClient: Sendable {
    private let calls: any ClusterCalls
    private let executor: CallExecutor
    private let over: Flag

    /// Connects to the first of some members, and blocks the thread until it answers.
    init(at members: [String]) throws {
        guard let text = members.first, let endpoint = Endpoint(text) else {
            throw BenchmarkError("an endpoint is not of the form host:port")
        }
        let (over, executor) = (Flag(), CallExecutor.next())
        let connector = GRPCConnector(security: .plaintext, credentials: nil, callTimeout: .seconds(10))
        calls = try Self.wait { resume in
            Task(executorPreference: executor) {
                do throws(CallError) {
                    try await connector.withConnection(to: endpoint) { calls throws(CallError) in
                        resume(.success(calls))
                        await over.wait()
                    }
                } catch {
                    resume(.failure(error))
                }
            }
        }
        (self.over, self.executor) = (over, executor)
    }

    deinit {
        over.set()
    }

    /// Makes calls in a task on the threads of stores, and blocks the thread until it ends.
    func run<Result: Sendable>(
        _ body: @escaping @Sendable (any ClusterCalls) async throws -> Result
    ) throws -> Result {
        try Self.wait { [calls, executor] resume in
            Task(executorPreference: executor) {
                do {
                    resume(.success(try await body(calls)))
                } catch {
                    resume(.failure(error))
                }
            }
        }
    }

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
        try run { calls in
            for start in stride(from: 0, to: count, by: 100) {
                let names = (start..<min(start + 100, count)).map { ("\(prefix)\(ClusterPlace.name($0))", $0) }
                _ = try await calls.commit(.put(names))
            }
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

    /// Reads all entries with a prefix.
    ///
    /// - Returns: Their number.
    func range(_ prefix: String) throws -> Int {
        try run { calls in
            var request = Etcdserverpb_RangeRequest()
            (request.key, request.rangeEnd) = Etcdserverpb_RangeRequest.range(of: prefix)
            return try await calls.range(request).kvs.count
        }
    }

    /// Watches all keys with a prefix as long as the client lives, and blocks the thread until the watch is established.
    ///
    /// - Parameter receive: Called with the key and the text of each change.
    func watch(_ prefix: String, _ receive: @escaping @Sendable (Data, Data) -> Void) throws {
        let _: Bool = try Self.wait { [calls, executor] resume in
            var request = Etcdserverpb_WatchCreateRequest()
            (request.key, request.rangeEnd) = Etcdserverpb_RangeRequest.range(of: prefix)
            (request.progressNotify, request.fragment) = (true, true)
            Task(executorPreference: executor) { [request] in
                do throws(CallError) {
                    try await calls.watch(request) { response throws(CallError) in
                        if response.created { resume(.success(true)) }
                        for event in response.events { receive(event.kv.key, event.kv.value) }
                    }
                } catch {
                    resume(.failure(error))
                }
            }
        }
    }

    /// Blocks the thread until another one resumes it; the first result counts.
    private static func wait<Result: Sendable>(
        _ start: (@escaping @Sendable (Swift.Result<Result, any Error>) -> Void) -> Void
    ) throws -> Result {
        let box = Box<Result>()
        start { box.resume($0) }
        return try box.wait()
    }

    private final class Box<Result: Sendable>: Sendable {
        private let result = Locked<Swift.Result<Result, any Error>?>(nil)
        private let wake = DispatchSemaphore(value: 0)

        func resume(_ outcome: Swift.Result<Result, any Error>) {
            let isFirst = result.withLock { result in
                defer { result = result ?? outcome }
                return result == nil
            }
            if isFirst { wake.signal() }
        }

        func wait() throws -> Result {
            wake.wait()
            guard let result = result.withLock({ $0 }) else { throw BenchmarkError("a call has no outcome") }
            return try result.get()
        }
    }
}
#endif
