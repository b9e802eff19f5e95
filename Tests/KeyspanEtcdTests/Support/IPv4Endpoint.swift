import Foundation

/// An IPv4 address with a port.
struct IPv4Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// The address in dotted form, such as `127.0.0.1`.
    let host: String
    let port: UInt16

    init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Parses an address such as `127.0.0.1:2379`.
    init?(_ text: String) {
        let parts = text.split(separator: ":")
        guard parts.count == 2, let port = UInt16(parts[1]) else { return nil }
        self.init(host: String(parts[0]), port: port)
    }

    var description: String { "\(host):\(port)" }

    /// Makes a TCP socket that does not block and listens at this endpoint.
    func listen() throws -> Int32 {
        let descriptor = try Self.makeSocket(datagrams: false)
        // Connections that were cut or closed before still occupy the port otherwise.
        var isOn: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
        try Self.check(descriptor, withAddress { Foundation.bind(descriptor, $0, $1) })
        try Self.check(descriptor, Foundation.listen(descriptor, 128))
        return descriptor
    }

    /// Makes a UDP socket bound to this endpoint, which nobody else can then bind.
    func reserve() throws -> Int32 {
        let descriptor = try Self.makeSocket(datagrams: true)
        try Self.check(descriptor, withAddress { Foundation.bind(descriptor, $0, $1) })
        return descriptor
    }

    /// Makes a TCP socket that does not block and begins to connect to this endpoint.
    func beginConnecting() throws -> Int32 {
        let descriptor = try Self.makeSocket(datagrams: false)
        let result = withAddress { Foundation.connect(descriptor, $0, $1) }
        if result != 0, errno == EINPROGRESS { return descriptor }
        try Self.check(descriptor, result)
        return descriptor
    }

    /// Lets a socket neither block, nor be inherited, nor raise SIGPIPE, nor wait for more bytes before it sends.
    static func prepare(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        var isOn: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        #if canImport(Darwin)
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    private static func makeSocket(datagrams: Bool) throws -> Int32 {
        #if canImport(Darwin)
        let descriptor = socket(AF_INET, datagrams ? SOCK_DGRAM : SOCK_STREAM, 0)
        #else
        let kind = datagrams ? SOCK_DGRAM : SOCK_STREAM
        let descriptor = socket(AF_INET, Int32(kind.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #endif
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        prepare(descriptor)
        return descriptor
    }

    private static func check(_ descriptor: Int32, _ result: Int32) throws {
        guard result != 0 else { return }
        let code = POSIXErrorCode(rawValue: errno) ?? .EIO
        close(descriptor)
        throw POSIXError(code)
    }

    private func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        #if canImport(Darwin)
        address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
        #endif
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else {
            errno = EINVAL
            return -1
        }
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
                body(general, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}

/// A TCP port on loopback that no other test, also of another process, gets while this object lives.
///
/// The test process keeps the UDP port of the same number, which tells other test processes that the TCP port is in use, also
/// while its member is down. The kernel frees it if the process is killed. The numbers are below those that the kernel gives to
/// outgoing connections.
final class LoopbackPort: Sendable {
    /// All ports are in use.
    struct NoPort: Error {}

    let endpoint: IPv4Endpoint
    private let reservation: Int32

    /// - Parameter host: An address of loopback.
    init(host: String = "127.0.0.1") throws {
        let first = UInt16.random(in: 10_000..<30_000)
        for number in Array(first..<30_000) + Array(10_000..<first) {
            let endpoint = IPv4Endpoint(host: host, port: number)
            guard let reservation = try? endpoint.reserve() else { continue }
            if let probe = try? endpoint.listen() {
                close(probe)
                (self.endpoint, self.reservation) = (endpoint, reservation)
                return
            }
            close(reservation)
        }
        throw NoPort()
    }

    deinit {
        close(reservation)
    }
}
