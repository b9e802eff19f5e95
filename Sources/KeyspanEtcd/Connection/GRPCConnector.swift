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
    /// Runs the connections.
    let executor: CallExecutor

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
        let calls = GRPCCalls(
            client,
            endpoint: endpoint,
            credentials: credentials,
            timeout: callTimeout,
            executor: executor
        )
        // Not a child task: looking a name up, connecting and closing cannot be canceled, and take ten seconds where packets are lost. Nobody
        // waits for that.
        let connecting = Task(executorPreference: executor) {
            do {
                try await client.runConnections()
                calls.end()
            } catch {
                calls.end(because: CallError(error, of: "\(endpoint)"))
            }
        }
        defer { connecting.cancel() }
        let outcome: Result<Void, CallError> = await withTaskGroup(of: Result<Void, CallError>.self) { group in
            group.addTask { await Result { () async throws(CallError) in try await body(calls) } }
            group.addTask { .failure(await calls.waitUntilEnded()) }
            defer {
                // A graceful end would wait for a member that may not answer.
                group.cancelAll()
            }
            return await group.next() ?? .success(())
        }
        try outcome.get()
    }

    private func transport(to endpoint: Endpoint) throws -> HTTP2ClientTransport.Posix {
        var config = HTTP2ClientTransport.Posix.Config.defaults
        // A member that is frozen or cut off is found by pings alone while nothing is written. An etcd server closes the connection of a
        // client that pings more often than every five seconds. Pings without calls are allowed because the transport otherwise stops them
        // when a call ends and no other is open, as between the listing and the watch, and does not begin again.
        // The timeout is shorter than the time between pings, each of which begins it anew.
        let keepaliveTimeout = min(callTimeout, .seconds(9))
        config.connection.keepalive = .init(time: .seconds(10), timeout: keepaliveTimeout, allowWithoutCalls: true)
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
