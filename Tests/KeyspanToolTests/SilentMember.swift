import Foundation

/// A member of a cluster that does not answer: a port at which connections arrive that nobody accepts.
final class SilentMember {
    private let descriptor: Int32
    private let port: UInt16

    init() throws {
        #if canImport(Darwin)
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isListening = withUnsafeMutableBytes(of: &address) { bytes in
            let address = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
            guard let address else { return false }
            return bind(descriptor, address, size) == 0 && listen(descriptor, 8) == 0
                && getsockname(descriptor, address, &size) == 0
        }
        guard isListening else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit {
        close(descriptor)
    }

    /// A prefix of the cluster whose member this is.
    var url: String { "etcd://127.0.0.1:\(port)/greeter/" }

    /// Whether someone has connected.
    var wasAsked: Bool {
        var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&event, 1, 0) == 1
    }
}
