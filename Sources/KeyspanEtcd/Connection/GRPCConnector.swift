#if Etcd
internal import GRPCCore
internal import GRPCNIOTransportHTTP2Posix
@_spi(StoreAuthors) internal import KeyspanCore

/// Connects to members of a cluster by gRPC.
struct GRPCConnector: ClusterConnector {
    let security: EtcdSecurity
    let credentials: EtcdCredentials?
    /// The time within which each call has to be answered.
    let callTimeout: Duration

    func withConnection(
        to endpoint: Endpoint,
        _ body: @escaping @Sendable (any ClusterCalls) async throws(CallError) -> Void
    ) async throws(CallError) {
        let client: GRPCClient<HTTP2ClientTransport.Posix>
        do {
            client = GRPCClient(transport: try transport(to: endpoint))
        } catch {
            throw CallError(kind: .rejected, endpoint: "\(endpoint)", reason: "\(error)")
        }
        let calls = GRPCCalls(client, endpoint: endpoint, credentials: credentials, timeout: callTimeout)
        let outcome: Result<Void, CallError> = await withTaskGroup(of: Result<Void, CallError>?.self) { group in
            group.addTask {
                do {
                    try await client.runConnections()
                    return nil
                } catch {
                    return .failure(CallError(error, of: "\(endpoint)"))
                }
            }
            group.addTask { await Result { () async throws(CallError) in try await body(calls) } }
            group.addTask {
                await calls.ended.wait()
                return .failure(
                    CallError(kind: .unavailable, endpoint: "\(endpoint)", reason: "the connection was given up")
                )
            }
            var outcome: Result<Void, CallError>?
            while outcome == nil, let next = await group.next() { outcome = next }
            // A graceful end would wait for a member that may not answer.
            group.cancelAll()
            return outcome ?? .success(())
        }
        try outcome.get()
    }

    private func transport(to endpoint: Endpoint) throws -> HTTP2ClientTransport.Posix {
        var config = HTTP2ClientTransport.Posix.Config.defaults
        // A member that is frozen or cut off is found by pings alone while nothing is written. An etcd server closes the connection of a
        // client that pings more often than every five seconds. Pings without calls are allowed because the transport otherwise stops them
        // when a call ends and no other is open, as between the listing and the watch, and does not begin again.
        config.connection.keepalive = .init(time: .seconds(10), timeout: callTimeout, allowWithoutCalls: true)
        // Each write waits for its answer, so that nothing is gained by collecting them.
        config.connection.flushCoalescing = nil
        config.channelDebuggingCallbacks.onCreateTCPConnection = PingAnswering.install
        // A store has its own pauses between attempts.
        config.backoff = .init(initial: .milliseconds(50), max: .seconds(1), multiplier: 1.6, jitter: 0.2)
        let target: any ResolvableTarget =
            if endpoint.isIPv4 {
                .ipv4(address: endpoint.host, port: endpoint.port)
            } else if endpoint.isIPv6 {
                .ipv6(address: endpoint.host, port: endpoint.port)
            } else {
                .dns(host: endpoint.host, port: endpoint.port)
            }
        return try .http2NIOPosix(target: target, transportSecurity: security.transportSecurity, config: config)
    }
}

extension Result {
    fileprivate init(_ body: () async throws(Failure) -> Success) async {
        do throws(Failure) {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
#endif
