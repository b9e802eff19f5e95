import Foundation
import KeyspanCore
import KeyspanTestSupport
import NIOCore
import NIOPosix
import Testing

/// A TCP proxy between a client and a member, which delays, holds back and cuts what passes through it.
///
/// Its methods take effect before they return, for open and for new connections: they block the thread until the event loop has
/// followed. Safe to use from any thread.
final class TCPProxy: Sendable {
    enum Direction: CaseIterable, Sendable {
        case toServer
        case toClient
    }

    /// The address for clients, such as `127.0.0.1:12345`.
    var endpoint: String { "\(port.endpoint)" }

    private let port: LoopbackPort
    private let server: IPv4Endpoint
    private let loop = MultiThreadedEventLoopGroup.singleton.next()
    private let state = ProxyState()
    private let listener = Locked<(any Channel)?>(nil)

    /// Starts a proxy to a server, which need not run yet.
    ///
    /// - Parameters:
    ///   - server: The IPv4 address and port of the server.
    ///   - host: The loopback address at which the proxy listens.
    init(to server: String, host: String = "127.0.0.1") throws {
        guard let server = IPv4Endpoint(server) else { throw POSIXError(.EINVAL) }
        self.server = server
        port = try LoopbackPort(host: host)
        try accept()
    }

    deinit {
        stop()
    }

    /// The number of connections that clients have made, and of those that are open.
    var connections: (made: Int, open: Int) {
        (try? loop.submit { [state] in (state.made, state.channels.count / 2) }.wait()) ?? (0, 0)
    }

    /// Passes bytes on only after some time, in order.
    func delay(_ duration: Duration) {
        change { $0.delay = TimeAmount(duration) }
    }

    /// Passes on only a few bytes at a time; `nil` ends it.
    func trickle(bytes: Int?) {
        change { $0.portion = bytes }
    }

    /// Holds back all bytes in a direction; connections stay open, and new ones are accepted.
    func pause(_ direction: Direction) {
        change { $0.paused.insert(direction) }
    }

    /// Passes the bytes on that were held back.
    func resume() {
        change { $0.paused = [] }
    }

    /// Closes all connections with a reset, whatever is on its way; new ones are accepted.
    func cut() {
        change { state in state.channels.values.forEach(ProxyState.reset) }
    }

    /// Closes the next new connection with a reset as soon as so many bytes went through to the client.
    func cutAfter(bytes: Int) {
        change { $0.limit = bytes }
    }

    /// Refuses new connections, as a port on which nothing listens does; open ones stay.
    func refuse() {
        let listener = listener.withLock { listener in
            defer { listener = nil }
            return listener
        }
        guard let listener else { return }
        try? listener.close().wait()
        // A process that a test is just starting has a copy of the socket until it executes its program.
        eventually("nothing listens at \(endpoint)") { port.endpoint.isFree }
    }

    /// Accepts new connections again after ``refuse()``.
    func accept() throws {
        let channel = try ServerBootstrap(group: loop).serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { [state, server] client in
                state.relay(client, to: server)
            }
            .bind(host: port.endpoint.host, port: Int(port.endpoint.port)).wait()
        listener.withLock { $0 = channel }
    }

    /// Closes the port, and all connections with a reset.
    func stop() {
        refuse()
        cut()
    }

    private func change(_ body: @escaping @Sendable (ProxyState) -> Void) {
        try? loop.submit { [state] in
            body(state)
            for lane in state.lanes.values { lane.pass() }
        }.wait()
    }
}

/// The rules and the connections of a proxy.
///
/// Unchecked, because it is used on the event loop of the proxy only.
private final class ProxyState: @unchecked Sendable {
    var delay = TimeAmount.zero
    /// The most bytes to pass on at once, each millisecond.
    var portion: Int?
    var paused: Set<TCPProxy.Direction> = []
    /// The number of bytes to the client after which the next connection is cut.
    var limit: Int?
    var channels: [ObjectIdentifier: any Channel] = [:]
    /// The number of clients that have connected.
    var made = 0
    var lanes: [ObjectIdentifier: ProxyLane] = [:]

    /// Connects a new client to the server.
    func relay(_ client: any Channel, to server: IPv4Endpoint) -> EventLoopFuture<Void> {
        let limit = limit
        self.limit = nil
        made += 1
        return ClientBootstrap(group: client.eventLoop)
            .channelInitializer { server in
                client.eventLoop.makeCompletedFuture { try self.add(from: server, .toClient, to: client, limit) }
            }
            .connect(host: server.host, port: Int(server.port))
            .flatMapThrowing { server in try self.add(from: client, .toServer, to: server, nil) }
    }

    /// Closes a connection so that both sides see an error in place of an end.
    static func reset(_ channel: any Channel) {
        _ = (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        channel.close(promise: nil)
    }

    private func add(
        from source: any Channel,
        _ direction: TCPProxy.Direction,
        to target: any Channel,
        _ limit: Int?
    ) throws {
        let lane = ProxyLane(direction, from: source, to: target, limit, self)
        try source.pipeline.syncOperations.addHandler(lane)
        let identifier = ObjectIdentifier(source)
        (channels[identifier], lanes[identifier]) = (source, lane)
        source.closeFuture.whenComplete { _ in (self.channels[identifier], self.lanes[identifier]) = (nil, nil) }
    }
}

/// One direction of a connection: what one channel has received, on its way to the other one.
///
/// Unchecked, because it is used on the event loop of the proxy only.
private final class ProxyLane: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer

    private let direction: TCPProxy.Direction
    private let source: any Channel
    private let target: any Channel
    private let state: ProxyState
    private var waiting: [(bytes: ByteBuffer, due: NIODeadline)] = []
    private var hasEnded = false
    /// How many bytes may still pass before the connection is cut.
    private var rest: Int
    private var nextPass = NIODeadline.distantPast

    init(
        _ direction: TCPProxy.Direction,
        from source: any Channel,
        to target: any Channel,
        _ limit: Int?,
        _ state: ProxyState
    ) {
        (self.direction, self.source, self.target, self.state) = (direction, source, target, state)
        rest = limit ?? .max
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        waiting.append((unwrapInboundIn(data), .now() + state.delay))
        pass()
    }

    func channelInactive(context: ChannelHandlerContext) {
        hasEnded = true
        pass()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        ProxyState.reset(source)
        ProxyState.reset(target)
    }

    /// Passes on what is due, and at last the end.
    func pass() {
        while !state.paused.contains(direction), let first = waiting.first {
            let time = max(first.due, state.portion == nil ? .distantPast : nextPass)
            guard time <= .now() else {
                source.eventLoop.scheduleTask(deadline: time) { self.pass() }
                return
            }
            let count = min(first.bytes.readableBytes, state.portion ?? .max, rest)
            let part = waiting[0].bytes.readSlice(length: count)
            if waiting[0].bytes.readableBytes == 0 { waiting.removeFirst() }
            nextPass = .now() + .milliseconds(1)
            rest -= count
            // A write that fails ends the connection at once, which calls this again.
            if let part { target.writeAndFlush(part, promise: nil) }
            if rest == 0 {
                // Once what has passed is written.
                target.writeAndFlush(ByteBuffer()).whenComplete { _ in
                    ProxyState.reset(self.source)
                    ProxyState.reset(self.target)
                }
                return
            }
        }
        if hasEnded, waiting.isEmpty {
            target.writeAndFlush(ByteBuffer()).whenComplete { _ in self.target.close(promise: nil) }
        }
    }
}
