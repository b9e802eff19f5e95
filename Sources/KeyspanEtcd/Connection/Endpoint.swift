#if Etcd
private import KeyspanCore

/// The address of a member of the cluster.
struct Endpoint: Sendable, Hashable, CustomStringConvertible {
    /// The name or the address of the host, an IPv6 address without brackets.
    let host: String
    let port: Int

    /// The host and the port, as etcd prints them.
    var description: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Whether the host is an address already, and no name.
    var isAddress: Bool { host.utf8.contains(UInt8(ascii: ":")) || Defaults.IPAddress(host) != nil }

    /// Reads `host`, `host:port`, `[IPv6]:port`, or one of these with `http://` or `https://` before it.
    ///
    /// - Returns: `nil` for any other text.
    init?(_ text: String) {
        var rest = Substring(text)
        for scheme in ["http://", "https://"] where rest.utf8.starts(with: scheme.utf8) {
            rest = Substring(rest.utf8.dropFirst(scheme.utf8.count))
        }
        if rest.utf8.last == UInt8(ascii: "/") { rest = rest.dropLast() }
        var port: Substring?
        if rest.utf8.first == UInt8(ascii: "[") {
            guard let end = rest.utf8.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            let after = rest.utf8[rest.utf8.index(after: end)...]
            host = String(rest[rest.utf8.index(after: rest.startIndex)..<end])
            if !after.isEmpty {
                guard after.first == UInt8(ascii: ":") else { return nil }
                port = Substring(after.dropFirst())
            }
        } else if let colon = rest.utf8.lastIndex(of: UInt8(ascii: ":")) {
            host = String(rest[..<colon])
            port = rest[rest.utf8.index(after: colon)...]
            // Two colons without brackets do not say where the port begins.
            if host.utf8.contains(UInt8(ascii: ":")) { return nil }
        } else {
            host = String(rest)
        }
        guard !host.isEmpty, !host.utf8.contains(where: { $0 <= UInt8(ascii: " ") || $0 == UInt8(ascii: "/") }) else {
            return nil
        }
        guard let port else {
            self.port = Self.defaultPort
            return
        }
        guard let number = Int(port), (1...65535).contains(number), port.utf8.first != UInt8(ascii: "+") else {
            return nil
        }
        self.port = number
    }

    /// The port that etcd has for its clients: IANA's number for it.
    private static let defaultPort = 2379
}
#endif
