#if Etcd
internal import GRPCCore
internal import GRPCNIOTransportHTTP2Posix
@_spi(StoreAuthors) internal import KeyspanCore

/// Connects to members of a cluster by gRPC.
struct GRPCConnector: ClusterConnector {
    private let security: EtcdSecurity
    private let credentials: EtcdCredentials?
    private let callTimeout: Duration
    private let executor: CallExecutor
    private let lookup: HostLookup

    /// - Parameters:
    ///   - security: How the connections are protected.
    ///   - credentials: The user and the password, if the cluster has users.
    ///   - callTimeout: The time within which each call has to be answered, and the name of a member be found.
    ///   - executor: Runs the connections.
    ///   - lookup: Finds the addresses of names.
    init(
        security: EtcdSecurity,
        credentials: EtcdCredentials?,
        callTimeout: Duration,
        executor: CallExecutor,
        lookup: HostLookup = .ofSystem
    ) {
        (self.security, self.credentials) = (security, credentials)
        (self.callTimeout, self.executor, self.lookup) = (callTimeout, executor, lookup)
    }

    func addresses(of endpoint: Endpoint) async throws(CallError) -> [MemberAddress] {
        if Defaults.IPAddress(endpoint.host) != nil { return MemberAddress.all(of: endpoint, at: [endpoint.host]) }
        do throws(HostLookup.Failure) {
            let hosts = try await lookup.addresses(of: endpoint.host, upTo: callTimeout, on: executor)
            return MemberAddress.all(of: endpoint, at: hosts)
        } catch {
            throw CallError(kind: .unavailable, endpoint: "\(endpoint)", reason: error.reason)
        }
    }

    func withConnection(
        to address: MemberAddress,
        _ body: @escaping @Sendable (any ClusterCalls) async throws(CallError) -> Void
    ) async throws(CallError) {
        let client: GRPCClient<HTTP2ClientTransport.Posix>
        do {
            client = GRPCClient(transport: try transport(to: address))
        } catch {
            throw CallError(kind: .rejected, endpoint: "\(address)", reason: "\(error)")
        }
        let calls = GRPCCalls(
            client,
            address: address,
            credentials: credentials,
            timeout: callTimeout,
            executor: executor
        )
        // Not a child task: connecting and closing cannot be canceled, and take ten seconds where packets are lost. Nobody waits for that.
        let connecting = Task(executorPreference: executor) {
            do {
                try await client.runConnections()
                calls.end()
            } catch {
                calls.end(because: CallError(error, of: "\(address)"))
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

    private func transport(to address: MemberAddress) throws -> HTTP2ClientTransport.Posix {
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
        // TLS compares the certificate of a member with the name that the store was given, not with the address behind it.
        if !address.endpoint.isAddress { config.http2.authority = "\(address.endpoint)" }
        let target: any ResolvableTarget =
            address.isIPv6
            ? .ipv6(address: address.host, port: address.port)
            : .ipv4(address: address.host, port: address.port)
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
