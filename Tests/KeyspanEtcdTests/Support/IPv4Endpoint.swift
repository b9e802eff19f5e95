import Foundation
import KeyspanCore

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

    /// Makes a UDP socket bound to this endpoint, which nobody else can then bind.
    func reserve() throws -> Int32 { try bind(SOCK_DGRAM) }

    /// Whether no program listens at this TCP port.
    var isFree: Bool {
        guard let probe = try? bind(SOCK_STREAM) else { return false }
        close(probe)
        return true
    }

    #if canImport(Darwin)
    private typealias SocketKind = Int32
    #else
    private typealias SocketKind = __socket_type
    #endif

    private func bind(_ kind: SocketKind) throws -> Int32 {
        #if canImport(Darwin)
        let descriptor = socket(AF_INET, kind, 0)
        #else
        let descriptor = socket(AF_INET, Int32(kind.rawValue), 0)
        #endif
        var address = sockaddr_in()
        #if canImport(Darwin)
        address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
        #endif
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        var isOn: Int32 = 1
        let isBound =
            descriptor >= 0 && fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
            // Connections that were closed before still occupy a TCP port otherwise.
            && (kind == SOCK_DGRAM
                || setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size)) == 0)
            && inet_pton(AF_INET, host, &address.sin_addr) == 1
            && withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Foundation.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            } == 0
        guard isBound else {
            let code = POSIXErrorCode(rawValue: errno) ?? .EIO
            if descriptor >= 0 { close(descriptor) }
            throw POSIXError(code)
        }
        return descriptor
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

    /// The number to try next, which differs between processes at first.
    private static let next = Locked(Int(getpid()) % 20_000)

    let endpoint: IPv4Endpoint
    private let reservation: Int32

    /// - Parameter host: An address of loopback.
    init(host: String = "127.0.0.1") throws {
        for _ in 0..<20_000 {
            let number = Self.next.withLock { number in
                number = (number + 1) % 20_000
                return UInt16(10_000 + number)
            }
            let endpoint = IPv4Endpoint(host: host, port: number)
            guard let reservation = try? endpoint.reserve() else { continue }
            if endpoint.isFree {
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
