#if Remote
import Foundation

/// A connection that reads a stream of events and counts them: as little as a client can do.
struct StreamConnection {
    let socket: Int32
    /// The number of events so far.
    private(set) var events = 0
    /// The bytes at the end of the last chunk, in which the beginning of an event may be.
    private var rest: [UInt8] = []

    private static let mark = Array("data: ".utf8)

    /// Connects, and asks for the stream.
    init(port: Int) throws {
        #if canImport(Glibc)
        socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        socket = Foundation.socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard socket >= 0 else { throw BenchmarkError.systemCall("socket") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw BenchmarkError.systemCall("connect") }
        let request = Array("GET /settings/all/changes HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)
        guard send(socket, request, request.count, 0) == request.count else { throw BenchmarkError.systemCall("send") }
    }

    /// Reads what is there.
    ///
    /// - Returns: Whether an event has begun.
    mutating func read(into buffer: inout [UInt8]) throws -> Bool {
        let count = recv(socket, &buffer, buffer.count, 0)
        guard count > 0 else { throw BenchmarkError("the server has closed a connection") }
        let before = events
        let bytes = rest + buffer[..<count]
        var index = 0
        while index + Self.mark.count <= bytes.count {
            if bytes[index] == Self.mark[0], bytes[index...].starts(with: Self.mark) { events += 1 }
            index += 1
        }
        rest = Array(bytes.suffix(Self.mark.count - 1))
        return events > before
    }
}
#endif
