import Foundation

/// One direction of a connection through a ``TCPProxy``: bytes read from one socket, on their way to the other one.
///
/// Not safe for concurrent use: the proxy guards it. No method blocks.
struct ProxyLane {
    /// What a test has asked for in a direction.
    struct Rule {
        var delay: Duration = .zero
        /// The most bytes to pass at once, and the time until the next ones.
        var trickle: (bytes: Int, interval: Duration)?
        var isPaused = false
    }

    /// The connection is to be cut: a peer has reset it, or the lane has passed the bytes that it may.
    struct Cut: Error {}

    private struct Chunk {
        var bytes: ArraySlice<UInt8>
        let due: ContinuousClock.Instant
    }

    /// The most bytes that wait in a lane; beyond it, the sender is held up as by a slow network.
    private static let capacity = 4 << 20

    let source: Int32
    let target: Int32
    /// The number of bytes that went through.
    private(set) var passed = 0
    /// The number of bytes after which the connection is cut, if it is to be.
    var limit: Int?
    private var chunks: [Chunk] = []
    private var waiting = 0
    private var nextWrite = ContinuousClock.now
    private var isSourceOpen = true
    private var isTargetOpen = true

    init(from source: Int32, to target: Int32, limit: Int? = nil) {
        (self.source, self.target, self.limit) = (source, target, limit)
    }

    /// Whether the source has ended and the target knows.
    var isDone: Bool { !isTargetOpen }

    /// Whether the lane takes more bytes from its source.
    func wantsRead(_ rule: Rule) -> Bool {
        isSourceOpen && !rule.isPaused && waiting < Self.capacity
    }

    /// The time at which the lane can next write to its target, if it has anything to write.
    func writeTime(_ rule: Rule) -> ContinuousClock.Instant? {
        guard !rule.isPaused, isTargetOpen else { return nil }
        if let first = chunks.first { return rule.trickle == nil ? first.due : max(first.due, nextWrite) }
        return isSourceOpen ? nil : nextWrite
    }

    /// Takes the bytes that the source has.
    mutating func read(_ rule: Rule) throws {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(source, &buffer, buffer.count, 0)
        if count > 0 {
            chunks.append(Chunk(bytes: buffer[..<count], due: .now + rule.delay))
            waiting += count
        } else if count == 0 {
            isSourceOpen = false
        } else if errno != EAGAIN, errno != EINTR {
            throw Cut()
        }
    }

    /// Passes on what is due, and at last the end of the source.
    mutating func write(_ rule: Rule) throws {
        while let time = writeTime(rule), time <= .now {
            guard let chunk = chunks.first else {
                isTargetOpen = false
                shutdown(target, Int32(SHUT_WR))
                return
            }
            let allowed = min(chunk.bytes.count, rule.trickle?.bytes ?? .max, (limit ?? .max) - passed)
            let sent = chunk.bytes.prefix(allowed).withUnsafeBytes { bytes in
                send(target, bytes.baseAddress, bytes.count, Self.flags)
            }
            guard sent >= 0 else {
                if errno == EAGAIN || errno == EINTR { return }
                throw Cut()
            }
            chunks[0].bytes.removeFirst(sent)
            if chunks[0].bytes.isEmpty { chunks.removeFirst() }
            waiting -= sent
            passed += sent
            if let trickle = rule.trickle { nextWrite = .now + trickle.interval }
            if passed == limit { throw Cut() }
        }
    }

    #if canImport(Darwin)
    private static let flags: Int32 = 0
    #else
    private static let flags = Int32(MSG_NOSIGNAL)
    #endif
}

/// A connection from a client through a ``TCPProxy`` to the server.
struct ProxyConnection {
    let client: Int32
    let server: Int32
    /// Whether the server has not answered yet.
    var isConnecting = true
    var lanes: [TCPProxy.Direction: ProxyLane]

    /// Connects the two sides.
    ///
    /// - Parameters:
    ///   - client: The socket of the client.
    ///   - server: A socket that is connecting to the server.
    ///   - limit: The number of bytes in one direction after which the connection is cut.
    init(client: Int32, server: Int32, limit: (direction: TCPProxy.Direction, bytes: Int)?) {
        (self.client, self.server) = (client, server)
        lanes = [
            .toServer: ProxyLane(from: client, to: server),
            .toClient: ProxyLane(from: server, to: client),
        ]
        if let limit { lanes[limit.direction]?.limit = limit.bytes }
    }

    /// Whether both sides have ended.
    var isDone: Bool { lanes.values.allSatisfy(\.isDone) }

    /// Closes both sockets; with a reset, both sides see an error in place of an end.
    func close(reset: Bool) {
        for descriptor in [client, server] {
            if reset {
                var option = linger(l_onoff: 1, l_linger: 0)
                setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
            }
            Foundation.close(descriptor)
        }
    }

    /// Finds out whether the server has accepted the connection.
    mutating func finishConnecting() throws {
        var (error, size): (Int32, socklen_t) = (0, socklen_t(MemoryLayout<Int32>.size))
        getsockopt(server, SOL_SOCKET, SO_ERROR, &error, &size)
        guard error == 0 else { throw ProxyLane.Cut() }
        isConnecting = false
    }
}
