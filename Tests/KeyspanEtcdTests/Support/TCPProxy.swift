import Foundation

/// A TCP proxy between a client and a member, which delays, holds back and cuts what passes through it.
///
/// ```swift
/// let proxy = try TCPProxy(to: cluster.members[0].endpoint)
/// defer { proxy.stop() }
/// proxy.cutAfter(bytes: 40)
/// try cluster.etcdctl("get", "key", endpoints: [proxy.endpoint])
/// ```
///
/// It has one thread, which ends with it. Its methods take effect before they return: ``cut()``, ``refuse()`` and ``stop()`` block
/// the calling thread until that one has noticed, for microseconds. Rules for a direction hold for open and for new connections.
/// Safe to use from any thread.
final class TCPProxy: Sendable {
    /// The way that bytes take.
    enum Direction: CaseIterable, Sendable {
        case toServer
        case toClient
    }

    /// The address for clients, such as `127.0.0.1:12345`.
    let endpoint: String
    private let port: LoopbackPort
    private let loop: ProxyLoop
    private let thread = DispatchGroup()

    /// Starts a proxy to a server, which need not run yet.
    ///
    /// - Parameters:
    ///   - server: The IPv4 address and port of the server.
    ///   - host: The loopback address at which the proxy listens.
    init(to server: String, host: String = "127.0.0.1") throws {
        guard let server = IPv4Endpoint(server) else { throw POSIXError(.EINVAL) }
        port = try LoopbackPort(host: host)
        endpoint = "\(port.endpoint)"
        loop = try ProxyLoop(listener: try port.endpoint.listen(), server: server)
        thread.enter()
        Thread.detachNewThread { [loop, thread] in
            loop.run()
            thread.leave()
        }
    }

    deinit {
        stop()
    }

    /// Passes bytes on only after some time, in order; zero ends it for the bytes that arrive from now on.
    func delay(_ duration: Duration, _ directions: Direction...) {
        change(directions) { $0.delay = duration }
    }

    /// Passes on only a few bytes at a time; `nil` ends it.
    ///
    /// - Parameters:
    ///   - bytes: The most bytes to pass at once.
    ///   - interval: The time until the next ones.
    ///   - directions: The directions, or none for both.
    func trickle(bytes: Int?, every interval: Duration = .milliseconds(1), _ directions: Direction...) {
        change(directions) { $0.trickle = bytes.map { ($0, interval) } }
    }

    /// Holds back all bytes; connections stay open, and new ones are accepted.
    ///
    /// - Parameter directions: The directions, or none for both.
    func pause(_ directions: Direction...) {
        change(directions) { $0.isPaused = true }
    }

    /// Passes the bytes on that were held back.
    ///
    /// - Parameter directions: The directions, or none for both.
    func resume(_ directions: Direction...) {
        change(directions) { $0.isPaused = false }
    }

    /// Closes all connections with a reset, whatever is on its way; new ones are accepted.
    func cut() {
        loop.updateAndWait { state in
            for connection in state.connections.values { connection.close(reset: true) }
            state.connections = [:]
        }
    }

    /// Closes the next new connection with a reset as soon as so many bytes went through in one direction.
    func cutAfter(bytes: Int, _ direction: Direction = .toClient) {
        loop.update { $0.limit = (direction, max(bytes, 1)) }
    }

    /// Refuses new connections, as a port on which nothing listens does; open ones stay.
    func refuse() {
        loop.updateAndWait { state in
            if let listener = state.listener { close(listener) }
            state.listener = nil
        }
    }

    /// Accepts new connections again after ``refuse()``.
    func accept() throws {
        try loop.update { state in
            guard state.listener == nil, !state.isStopped else { return }
            state.listener = try port.endpoint.listen()
        }
    }

    /// The number of open connections.
    var connectionCount: Int { loop.update { $0.connections.count } }

    /// The number of connections that were accepted, the closed ones included.
    var acceptedCount: Int { loop.update { $0.accepted } }

    /// The number of bytes that went through open connections in a direction.
    func passedBytes(_ direction: Direction) -> Int {
        loop.update { $0.connections.values.reduce(0) { $0 + ($1.lanes[direction]?.passed ?? 0) } }
    }

    /// Closes all connections with a reset and the port, and waits until the thread has ended.
    func stop() {
        refuse()
        cut()
        loop.update { $0.isStopped = true }
        thread.wait()
    }

    private func change(_ directions: [Direction], _ body: (inout ProxyLane.Rule) -> Void) {
        loop.update { state in
            for direction in directions.isEmpty ? Direction.allCases : directions {
                body(&state.rules[direction, default: .init()])
            }
        }
    }
}
