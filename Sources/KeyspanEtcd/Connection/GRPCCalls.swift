#if Etcd
internal import GRPCCore
internal import GRPCNIOTransportHTTP2Posix
@_spi(StoreAuthors) internal import KeyspanCore

/// The calls to one member over its connection, with the token of the session if there are credentials.
final class GRPCCalls: ClusterCalls {
    typealias Client = GRPCClient<HTTP2ClientTransport.Posix>

    let address: MemberAddress
    private let ended = Flag()
    /// Why the connection has ended by itself.
    private let failure = Locked<CallError?>(nil)
    private let client: Client
    private let credentials: EtcdCredentials?
    private let timeout: Duration
    private let executor: CallExecutor
    private let token = Locked<String?>(nil)

    init(
        _ client: Client,
        address: MemberAddress,
        credentials: EtcdCredentials?,
        timeout: Duration,
        executor: CallExecutor
    ) {
        (self.client, self.address, self.credentials) = (client, address, credentials)
        (self.timeout, self.executor) = (timeout, executor)
    }

    func end() { ended.set() }

    /// Notes that the connection has ended by itself.
    func end(because error: CallError) {
        failure.withLock { $0 = error }
        ended.set()
    }

    /// Waits until the connection has ended or is to end.
    func waitUntilEnded() async -> CallError {
        await ended.wait()
        return failure.withLock { $0 }
            ?? CallError(kind: .unavailable, endpoint: "\(address)", reason: "the connection was given up")
    }

    func range(_ request: Etcdserverpb_RangeRequest) async throws(CallError) -> Etcdserverpb_RangeResponse {
        try await withToken { (metadata) throws(CallError) in
            try await call { [client] in
                try await Etcdserverpb_KV.Client(wrapping: client).range(request, metadata: metadata, options: $0)
            }
        }
    }

    func commit(_ request: Etcdserverpb_TxnRequest) async throws(CallError) -> Etcdserverpb_TxnResponse {
        try await withToken { (metadata) throws(CallError) in
            try await call { [client] in
                try await Etcdserverpb_KV.Client(wrapping: client).txn(request, metadata: metadata, options: $0)
            }
        }
    }

    func grantLease(seconds: Int64) async throws(CallError) -> Int64 {
        var request = Etcdserverpb_LeaseGrantRequest()
        request.ttl = seconds
        return try await withToken { [request] (metadata) throws(CallError) in
            try await call { [client] in
                try await Etcdserverpb_Lease.Client(wrapping: client).leaseGrant(
                    request,
                    metadata: metadata,
                    options: $0
                )
            }
        }.id
    }

    func watch(
        _ request: Etcdserverpb_WatchCreateRequest,
        _ receive: @escaping @Sendable (Etcdserverpb_WatchResponse) throws(CallError) -> Void
    ) async throws(CallError) -> Never {
        let metadata = try await withToken { (metadata) throws(CallError) in metadata }
        var options = CallOptions.ofStores
        options.timeout = nil
        var create = Etcdserverpb_WatchRequest()
        create.createRequest = request
        let failure: CallError
        do {
            failure = try await Etcdserverpb_Watch.Client(wrapping: client).watch(
                metadata: metadata,
                options: options
            ) { [create] writer in
                try await writer.write(create)
                // The request stays open as long as the watch.
                await Flag().wait()
            } onResponse: { [address] response in
                do {
                    for try await message in response.messages { try receive(message) }
                    return CallError(kind: .unavailable, endpoint: "\(address)", reason: "the member ended the watch")
                } catch let error as CallError {
                    return error
                }
            }
        } catch {
            failure = CallError(error, of: "\(address)")
        }
        if failure.kind == .tokenEnded { token.withLock { $0 = nil } }
        throw failure
    }

    /// Makes one call, which ends within the timeout.
    ///
    /// The timeout of gRPC alone would need a thread of the cooperative pool, all of which may wait for this call.
    private func call<Response: Sendable>(
        _ body: @escaping @Sendable (CallOptions) async throws -> Response
    ) async throws(CallError) -> Response {
        var options = CallOptions.ofStores
        options.timeout = timeout
        let member = "\(address)"
        let outcome = await withTaskGroup(of: Result<Response, CallError>.self) { [options, executor, timeout] group in
            group.addTask {
                do {
                    return .success(try await body(options))
                } catch {
                    return .failure(CallError(error, of: member))
                }
            }
            let silence = CallError(kind: .unavailable, endpoint: member, reason: "no answer in \(timeout)")
            group.addTask {
                await executor.pause(for: timeout)
                return .failure(silence)
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(silence)
        }
        return try outcome.get()
    }
}

// MARK: - Authentication

extension GRPCCalls {
    /// Makes a call with the token of the session, and once more with a new one if that has ended.
    private func withToken<Response: Sendable>(
        _ body: (Metadata) async throws(CallError) -> Response
    ) async throws(CallError) -> Response {
        guard let credentials else {
            do throws(CallError) {
                return try await body(.ofStores(token: nil))
            } catch {
                // Without credentials, another token cannot be had.
                throw error.kind == .tokenEnded ? error.withKind(.unauthorized) : error
            }
        }
        let known = token.withLock { $0 }
        if let known {
            do throws(CallError) {
                return try await body(.ofStores(token: known))
            } catch {
                guard error.kind == .tokenEnded else { throw error }
            }
        }
        let new = try await authenticate(credentials)
        token.withLock { $0 = new }
        do throws(CallError) {
            return try await body(.ofStores(token: new))
        } catch {
            guard error.kind == .tokenEnded else { throw error }
            // Users or roles have changed since the new token was given, and may do so again.
            throw error.withKind(error.reason.contains("revision") ? .busy : .unauthorized)
        }
    }

    private func authenticate(_ credentials: EtcdCredentials) async throws(CallError) -> String? {
        var request = Etcdserverpb_AuthenticateRequest()
        (request.name, request.password) = (credentials.user, credentials.password)
        do throws(CallError) {
            return try await call { [client, request] in
                try await Etcdserverpb_Auth.Client(wrapping: client).authenticate(
                    request,
                    metadata: .ofStores(token: nil),
                    options: $0
                )
            }.token
        } catch {
            // A cluster without users takes calls without a token.
            guard error.reason.contains("authentication is not enabled") else { throw error }
            return nil
        }
    }
}

extension Metadata {
    /// The metadata of a call: a member without a leader is to refuse it, and the token says who asks.
    fileprivate static func ofStores(token: String?) -> Metadata {
        var metadata: Metadata = ["hasleader": "true"]
        if let token { metadata.addString(token, forKey: "token") }
        return metadata
    }
}

extension CallOptions {
    /// The options of all calls: fail at once without a connection, and take messages as large as etcd may send.
    fileprivate static var ofStores: CallOptions {
        var options = CallOptions.defaults
        options.waitForReady = false
        options.maxRequestMessageBytes = 1 << 30
        options.maxResponseMessageBytes = 1 << 30
        return options
    }
}
#endif
