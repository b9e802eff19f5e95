#if Etcd
import Dispatch
import Foundation

/// The store's gRPC client without the store: a connection to one member, and the calls that any store on a cluster needs.
///
/// The connection ends when the client is released.
final class RawClient: Sendable {
    private let calls: any MemberConnection
    private let executor: CallExecutor

    /// Connects to the first of some members, and blocks the thread until calls can be made.
    init(at members: [String]) throws {
        guard let text = members.first, let endpoint = Endpoint(text) else {
            throw BenchmarkError("an endpoint is not of the form host:port")
        }
        let executor = CallExecutor.next()
        let connector = GRPCConnector(
            security: .plaintext,
            credentials: nil,
            callTimeout: .seconds(10),
            executor: executor
        )
        calls = try Outcome.wait { outcome in
            Task(executorPreference: executor) {
                do throws(CallError) {
                    let addresses = try await connector.addresses(of: endpoint)
                    outcome.resume(.success(try await connector.connect(to: addresses[0])))
                } catch {
                    outcome.resume(.failure(error))
                }
            }
        }
        self.executor = executor
    }

    deinit {
        let reason = "the client was released"
        calls.end(because: CallError(kind: .unavailable, endpoint: "\(calls.address)", reason: reason))
    }

    /// Makes calls in a task on the threads of stores, and blocks the thread until it ends.
    func run<Result: Sendable>(
        _ body: @escaping @Sendable (any MemberCalls) async throws -> Result
    ) throws -> Result {
        try Outcome.wait { [calls, executor] outcome in
            Task(executorPreference: executor) {
                do {
                    outcome.resume(.success(try await body(calls)))
                } catch {
                    outcome.resume(.failure(error))
                }
            }
        }
    }

    /// Watches all keys with a prefix, and blocks the thread until the watch is established.
    ///
    /// - Parameter receive: Called with the key and the text of each change.
    func watch(_ prefix: String, _ receive: @escaping @Sendable (Data, Data) -> Void) throws {
        let _: Bool = try Outcome.wait { [calls, executor] outcome in
            var request = Etcdserverpb_WatchCreateRequest()
            (request.key, request.rangeEnd) = Etcdserverpb_RangeRequest.range(of: prefix)
            (request.progressNotify, request.fragment) = (true, true)
            Task(executorPreference: executor) { [request] in
                do throws(CallError) {
                    try await calls.watch(request) { response throws(CallError) in
                        if response.created { outcome.resume(.success(true)) }
                        for event in response.events { receive(event.kv.key, event.kv.value) }
                    }
                } catch {
                    outcome.resume(.failure(error))
                }
            }
        }
    }
}

/// The result of a task, for which one thread waits; the first one counts.
private final class Outcome<Value: Sendable>: Sendable {
    private let result = Locked<Result<Value, any Error>?>(nil)
    private let wake = DispatchSemaphore(value: 0)

    /// Starts a task, and blocks the thread until it has a result.
    static func wait(_ start: (Outcome) -> Void) throws -> Value {
        let outcome = Outcome()
        start(outcome)
        outcome.wake.wait()
        guard let result = outcome.result.withLock({ $0 }) else { throw BenchmarkError("a call has no outcome") }
        return try result.get()
    }

    func resume(_ new: Result<Value, any Error>) {
        let isFirst = result.withLock { result in
            defer { result = result ?? new }
            return result == nil
        }
        if isFirst { wake.signal() }
    }
}
#endif
