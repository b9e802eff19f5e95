#if Etcd
internal import GRPCCore
internal import GRPCNIOTransportHTTP2Posix
@_spi(StoreAuthors) internal import KeyspanCore

/// Connects to members of a cluster by gRPC.
final class GRPCConnector: ClusterConnector {
    private let security: EtcdSecurity
    private let credentials: EtcdCredentials?
    private let callTimeout: Duration
    private let executor: CallExecutor
    /// The end of the last connection to each member, which may come long after nobody needs the connection anymore.
    private let ends = Locked<[String: Flag]>([:])

    /// - Parameters:
    ///   - security: How the connections are protected.
    ///   - credentials: The user and the password, if the cluster has users.
    ///   - callTimeout: The time within which each call has to be answered.
    ///   - executor: Runs the connections.
    init(security: EtcdSecurity, credentials: EtcdCredentials?, callTimeout: Duration, executor: CallExecutor) {
        (self.security, self.credentials) = (security, credentials)
        (self.callTimeout, self.executor) = (callTimeout, executor)
    }

    func withConnection(
        to endpoint: Endpoint,
        _ body: @escaping @Sendable (any ClusterCalls) async throws(CallError) -> Void
    ) async throws(CallError) {
        let end = try await beginConnection(to: endpoint)
        let client: GRPCClient<HTTP2ClientTransport.Posix>
        do {
            client = GRPCClient(transport: try transport(to: endpoint))
        } catch {
            end.set()
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
            end.set()
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

    /// Waits until the last connection to a member has ended.
    ///
    /// All connections of a process look names up one after the other, so that a name that is looked up in vain again and again would keep
    /// the store from the members that have others.
    ///
    /// - Returns: A flag to be set when the new connection has ended.
    private func beginConnection(to endpoint: Endpoint) async throws(CallError) -> Flag {
        let member = "\(endpoint)"
        if let last = ends.withLock({ $0[member] }), await !last.wait(upTo: callTimeout, on: executor) {
            let reason = "an earlier attempt to connect has not ended"
            throw CallError(kind: .unavailable, endpoint: member, reason: reason)
        }
        let end = Flag()
        ends.withLock { $0[member] = end }
        return end
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
