#if Etcd
internal import GRPCCore
internal import GRPCNIOTransportHTTP2Posix
@_spi(StoreAuthors) internal import KeyspanCore
internal import NIOCore

/// Connects to members of a cluster by gRPC.
struct GRPCConnector: MemberConnector {
    private let security: EtcdSecurity
    /// The user, and the token that all connections have.
    private let user: (credentials: EtcdCredentials, token: SessionToken)?
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
        self.security = security
        user = credentials.map { ($0, SessionToken(on: executor)) }
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

    func connect(to address: MemberAddress) async throws(CallError) -> any MemberConnection {
        let connection = ConnectionState(of: address)
        let client: GRPCClient<HTTP2ClientTransport.Posix>
        do {
            client = GRPCClient(transport: try transport(to: address, of: connection))
        } catch {
            let reason = FileShortage(behind: error)
            throw CallError(
                kind: reason == nil ? .rejected : .unavailable,
                endpoint: "\(address)",
                reason: reason?.description ?? "\(error)"
            )
        }
        let calls = GRPCCalls(
            client,
            address: address,
            connection: connection,
            user: user,
            timeout: callTimeout,
            executor: executor
        )
        // Not child tasks: connecting and closing cannot be canceled, and take ten seconds where packets are lost. Nobody waits for that.
        let running = Task(executorPreference: executor) {
            do {
                try await client.runConnections()
                connection.end()
            } catch {
                connection.end(because: CallError(error, of: "\(address)"))
            }
        }
        Task(executorPreference: executor) {
            _ = await connection.waitUntilEnded()
            // A graceful end would wait for a member that may not answer.
            running.cancel()
        }
        do throws(CallError) {
            try await calls.establish()
        } catch {
            connection.end(because: error)
            throw error
        }
        return calls
    }

    private func transport(to address: MemberAddress, of connection: ConnectionState) throws
        -> HTTP2ClientTransport.Posix
    {
        var config = HTTP2ClientTransport.Posix.Config.defaults
        // A member that is frozen or cut off is found by pings alone while nothing is written. An etcd server closes the connection of a
        // client that pings more often than every five seconds. Pings without calls are allowed because the transport otherwise stops them
        // when a call ends and no other is open, as between the listing and the watch, and does not begin again.
        // The timeout is shorter than the time between pings, each of which begins it anew.
        let keepaliveTimeout = min(callTimeout, .seconds(9))
        config.connection.keepalive = .init(time: .seconds(10), timeout: keepaliveTimeout, allowWithoutCalls: true)
        // Each write waits for its answer, so that nothing is gained by collecting them.
        config.connection.flushCoalescing = nil
        config.channelDebuggingCallbacks.onCreateTCPConnection = { channel in
            guard connection.begin() else { return channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
            channel.closeFuture.whenComplete { _ in connection.end() }
            return PingAnswering.install(on: channel).flatMap {
                StreamLimitReading.install(on: channel) { connection.streams = $0 }
            }
        }
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
#endif
