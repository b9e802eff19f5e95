#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

extension Defaults {
    /// An IP address, of version 4 or 6, such as `127.0.0.1` or `::1`.
    ///
    /// ```swift
    /// let listen = Defaults.Key<Defaults.IPAddress?>("listen")
    /// ```
    ///
    /// It is stored as text in the usual form: two texts of one address make one value. The name of a host cannot be read, because
    /// nothing is looked up.
    ///
    /// - SeeAlso: RFC 4291, section 2.2, and RFC 5952 for the text of version 6.
    public struct IPAddress: Sendable, Hashable, Codable {
        /// The bytes in network order: 4 of version 4, 16 of version 6.
        public let bytes: [UInt8]

        /// Whether the address is of version 6.
        public var isVersion6: Bool { bytes.count == 16 }
    }
}

extension Defaults.IPAddress: Defaults.TextSerializable {
    public static var textForms: String { "write it as 192.0.2.1 or 2001:db8::1" }

    /// The text that is stored.
    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = isVersion6 ? AF_INET6 : AF_INET
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Makes an address from its text; `nil` for any other text.
    public init?(_ text: String) {
        // C would end the text at a NUL.
        guard !text.utf8.contains(0) else { return nil }
        let isVersion6 = text.utf8.contains(UInt8(ascii: ":"))
        var bytes = [UInt8](repeating: 0, count: isVersion6 ? 16 : 4)
        guard inet_pton(isVersion6 ? AF_INET6 : AF_INET, text, &bytes) == 1 else { return nil }
        self.bytes = bytes
    }
}
