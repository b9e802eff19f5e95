extension Defaults {
    /// The name or IP address of a host, and a port, such as `[::1]:8080`, `127.0.0.1:80` or `db.example.com:5432`.
    ///
    /// ```swift
    /// let bind = Defaults.Key<Defaults.HostAndPort>("bind", default: "127.0.0.1:8080")
    /// let defaults = Defaults(InMemoryStore(["bind": "[::1]:8080"]))
    /// print(defaults[bind].host, defaults[bind].port)  // prints: ::1 8080
    /// ```
    ///
    /// The two parts are what servers and clients ask for; with SwiftNIO:
    /// `ServerBootstrap(group:).bind(host: address.host, port: Int(address.port))`. Nothing is looked up.
    ///
    /// - SeeAlso: RFC 3986, section 3.2.2, for addresses in brackets; RFC 1123, section 2.1, for names.
    public struct HostAndPort: Sendable, Hashable, Codable {
        /// The name or the address, without brackets.
        public let host: String

        /// The port; 0 lets the system choose one.
        public let port: UInt16

        /// Makes a value from its parts; `nil` if the first one is neither a name of a host nor an IP address.
        public init?(host: String, port: UInt16) {
            let isAddress = IPAddress(Self.withoutZone(host)) != nil
            guard isAddress || Self.isName(host) else { return nil }
            self.host = host
            self.port = port
        }

        /// The address that the host is, if it is one.
        public var address: IPAddress? { IPAddress(Self.withoutZone(host)) }

        /// The text without the zone of an address of version 6 (`fe80::1%eth0`), which only the system can check (RFC 4007).
        private static func withoutZone(_ host: String) -> String {
            guard host.utf8.contains(UInt8(ascii: ":")), let sign = host.utf8.firstIndex(of: UInt8(ascii: "%")),
                host.utf8[sign...].dropFirst().allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "]") }),
                host.utf8[sign...].count > 1
            else { return host }
            return String(host[..<sign])
        }

        private static func isName(_ host: String) -> Bool {
            var bytes = host.utf8[...]
            if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
            let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            // A name whose last label has only digits looks like an address, such as 256.1.1.1.
            guard (1...253).contains(bytes.count), labels.last?.allSatisfy({ (0x30...0x39).contains($0) }) == false
            else { return false }
            return labels.allSatisfy { label in
                (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                    && label.allSatisfy(isNameByte)
            }
        }

        // RFC 1123 does not allow underscores, but the names of containers have them.
        private static func isNameByte(_ byte: UInt8) -> Bool {
            (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: "_")
        }
    }
}

extension Defaults.HostAndPort: Defaults.TextSerializable {
    public static var textForms: String { "write it as 127.0.0.1:8080, [::1]:8080 or example.com:443" }

    public static var textPattern: String? { "^(\\[[^\\]]+\\]|[^:\\[\\]]+):[0-9]+$" }

    /// The text that is stored, with brackets around an address of version 6.
    public var description: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Makes a value from its text; `nil` for any other text, also for one without a port.
    public init?(_ text: String) {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        let digits = text.utf8[text.utf8.index(after: colon)...]
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = UInt16(String(Substring(digits)))
        else {
            return nil
        }
        let host = text[..<colon]
        if host.utf8.first == UInt8(ascii: "["), host.utf8.last == UInt8(ascii: "]") {
            let address = String(Substring(host.utf8.dropFirst().dropLast()))
            guard address.utf8.contains(UInt8(ascii: ":")) else { return nil }
            self.init(host: address, port: port)
        } else {
            guard !host.utf8.contains(UInt8(ascii: ":")) else { return nil }
            self.init(host: String(host), port: port)
        }
    }
}

extension Defaults.HostAndPort: ExpressibleByStringLiteral {
    /// Makes a value from a text in the program; one that is not a host and a port ends the program.
    public init(stringLiteral text: String) {
        guard let value = Self(text) else {
            preconditionFailure("\(text.quoted) is not a host and port; \(Self.textForms)")
        }
        self = value
    }
}

extension Defaults.HostAndPort: FlawExplaining {
    static func flaw(ofText text: String) -> String? {
        if text.utf8.contains(UInt8(ascii: ":")), Defaults.IPAddress(text) != nil {
            return "an address of version 6 is in brackets, and the port follows them"
        }
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else {
            return text.utf8.allSatisfy(\.isDigit) ? "it has no host" : "it has no port"
        }
        let port = text.utf8[colon...].dropFirst()
        guard !port.isEmpty, port.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return "its port is not a number from 0 to \(UInt16.max)"
        }
        if UInt16(String(Substring(port))) == nil { return "its port is not between 0 and \(UInt16.max)" }
        return "its host is neither a name nor an address"
    }
}
