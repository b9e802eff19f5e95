#if Etcd
internal import GRPCCore
internal import GRPCNIOTransportHTTP2Posix
@_spi(StoreAuthors) internal import KeyspanCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The calls to one member over its connection, with the token of the user if there is one.
final class GRPCCalls: MemberConnection {
    typealias Client = GRPCClient<HTTP2ClientTransport.Posix>

    let address: MemberAddress
    private let connection: ConnectionState
    let client: Client
    let user: (credentials: EtcdCredentials, token: SessionToken)?
    let timeout: Duration
    let executor: CallExecutor

    init(
        _ client: Client,
        address: MemberAddress,
        connection: ConnectionState,
        user: (credentials: EtcdCredentials, token: SessionToken)?,
        timeout: Duration,
        executor: CallExecutor
    ) {
        (self.client, self.address, self.user) = (client, address, user)
        self.connection = connection
        (self.timeout, self.executor) = (timeout, executor)
    }

    /// The watch of each session is a stream, and its other calls are some for a while.
    var sessionLimit: Int { max(connection.streams / 2, 1) }

    func end(because error: CallError) { connection.end(because: error) }

    func waitUntilEnded() async -> CallError { await connection.waitUntilEnded() }

    /// Waits until calls can be made.
    func establish() async throws(CallError) {
        let isEstablished = Flag()
        try await call(hasConnection: false) { [client] options in
            try await withThrowingTaskGroup(of: Void.self) { group in
                // A stream is opened once the member has sent its settings. No other call costs as little, and needs no user.
                group.addTask {
                    try await Etcdserverpb_Watch.Client(wrapping: client).watch(options: options) { _ in
                        isEstablished.set()
                        await Flag().wait()
                    } onResponse: { response in
                        for try await _ in response.messages {}
                    }
                }
                group.addTask { await isEstablished.wait() }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    func probe(_ key: Data) async throws(CallError) {
        var request = Etcdserverpb_RangeRequest()
        (request.key, request.countOnly) = (key, true)
        do throws(CallError) {
            // Without waiting for a token: a member looks at that after it has agreed with the others.
            let metadata = Metadata.ofStores(token: user?.token.known?.text)
            _ = try await call { [client, request] in
                try await Etcdserverpb_KV.Client(wrapping: client).range(request, metadata: metadata, options: $0)
            }
        } catch {
            if error.kind == .unavailable || error.kind == .busy { throw error }
        }
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

    func grantLease(_ id: Int64, seconds: Int64) async throws(CallError) {
        var request = Etcdserverpb_LeaseGrantRequest()
        (request.id, request.ttl) = (id, seconds)
        do throws(CallError) {
            _ = try await withToken { [request] (metadata) throws(CallError) in
                try await call { [client] in
                    try await Etcdserverpb_Lease.Client(wrapping: client).leaseGrant(
                        request,
                        metadata: metadata,
                        options: $0
                    )
                }
            }
        } catch {
            // By an earlier request, whose answer was lost.
            guard error.reason.contains("lease already exists") else { throw error }
        }
    }

    func revokeLease(_ id: Int64) async throws(CallError) {
        var request = Etcdserverpb_LeaseRevokeRequest()
        request.id = id
        _ = try await withToken { [request] (metadata) throws(CallError) in
            try await call { [client] in
                try await Etcdserverpb_Lease.Client(wrapping: client).leaseRevoke(
                    request,
                    metadata: metadata,
                    options: $0
                )
            }
        }
    }

    func watch(
        _ request: Etcdserverpb_WatchCreateRequest,
        _ receive: @escaping @Sendable (Etcdserverpb_WatchResponse) throws(CallError) -> Void
    ) async throws(CallError) -> Never {
        let token = try await user?.token.present(over: ObjectIdentifier(self), by: authentication)
        let metadata = Metadata.ofStores(token: token?.text)
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
        if failure.kind == .tokenEnded, let token { user?.token.forget(token) }
        throw failure
    }

    /// Makes one call, which ends within the timeout, and with the connection.
    ///
    /// The transport lets a call wait that begins just when the connection ends. Before there is one, it knows best why.
    /// The timeout of gRPC alone would need a thread of the cooperative pool, all of which may wait for this call.
    func call<Response: Sendable>(
        within timeout: Duration? = nil,
        hasConnection: Bool = true,
        _ body: @escaping @Sendable (CallOptions) async throws -> Response
    ) async throws(CallError) -> Response {
        let timeout = timeout ?? self.timeout
        var options = CallOptions.ofStores
        options.timeout = timeout
        let member = "\(address)"
        let outcome = await withTaskGroup(of: Result<Response, CallError>.self) {
            [options, executor, connection] group in
            group.addTask {
                do {
                    return .success(try await body(options))
                } catch {
                    return .failure(CallError(error, of: member))
                }
            }
            let silence = CallError.silence(of: member, for: timeout)
            group.addTask {
                await executor.pause(for: timeout)
                return .failure(silence)
            }
            if hasConnection { group.addTask { .failure(await connection.waitUntilEnded()) } }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(silence)
        }
        return try outcome.get()
    }
}

extension Metadata {
    /// The metadata of a call: a member without a leader is to refuse it, and the token says who asks.
    static func ofStores(token: String?) -> Metadata {
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
