extension SettingsConsole {
    /// A request to a console, in the terms of HTTP (RFC 9110).
    public struct Request: Sendable {
        /// The method, such as `GET`.
        public let method: String
        /// The path and the query, as the request has them, such as `/settings-console/value?key=title`.
        public let target: String
        /// The header fields, in their order.
        public let headers: [(name: String, value: String)]
        /// Reads the body up to a number of bytes, or throws if it is longer.
        let body: @Sendable (_ limit: Int) async throws -> [UInt8]

        /// Makes a request.
        ///
        /// - Parameters:
        ///   - method: The method.
        ///   - target: The path and the query.
        ///   - headers: The header fields.
        ///   - body: Reads the body up to a number of bytes, and throws if it is longer. It is called only if the sender may change
        ///     settings, so that nobody else makes the program read anything.
        public init(
            method: String,
            target: String,
            headers: [(name: String, value: String)],
            body: @escaping @Sendable (_ limit: Int) async throws -> [UInt8] = { _ in [] }
        ) {
            self.method = method
            self.target = target
            self.headers = headers
            self.body = body
        }

        /// The value of a header field, whose name is compared without regard to case; the first one of several.
        public func header(_ name: String) -> String? {
            let name = name.utf8.map(\.lowercased)
            return headers.first { $0.name.utf8.count == name.count && $0.name.utf8.map(\.lowercased) == name }?.value
        }
    }
}

extension SettingsConsole.Request {
    /// The path, as it was sent; of a target with a scheme and a host (RFC 9112, section 3.2.2), what follows these.
    var path: String {
        let path = target.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        // A query may have the same characters, so only the path is searched.
        guard path.first != UInt8(ascii: "/"), let mark = path.firstRange(of: "://".utf8) else {
            return String(Substring(path))
        }
        let rest = path[mark.upperBound...]
        return rest.firstIndex(of: UInt8(ascii: "/")).map { String(Substring(rest[$0...])) } ?? "/"
    }

    /// The query, as it was sent; `nil` if there is none.
    var query: String? {
        let bytes = target.utf8
        guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        return String(Substring(bytes[bytes.index(after: mark)...].prefix { $0 != UInt8(ascii: "#") }))
    }

    /// The value of a parameter in the query, decoded as forms are (WHATWG URL, section 5.1); `nil` if it is absent or not UTF-8.
    func parameter(_ name: String) -> String? {
        guard let query = query.map({ Array($0.utf8) }) else { return nil }
        for pair in query.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard Self.decoded(parts[0]).map({ $0.utf8.elementsEqual(name.utf8) }) == true else { continue }
            return parts.count == 2 ? Self.decoded(parts[1]) : ""
        }
        return nil
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
        var decoded: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "+"): decoded.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard index + 2 < bytes.endIndex, bytes[index + 1] != UInt8(ascii: "+"),
                    let byte = UInt8(String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
                else { return nil }
                decoded.append(byte)
                index += 2
            case let byte: decoded.append(byte)
            }
            index += 1
        }
        return String(validating: decoded, as: UTF8.self)
    }

    /// The name under which the sender knows the server.
    private var host: String? { header("Host") ?? header(":authority") }

    /// Whether the name under which the sender knows the server is one of these.
    func isFor(_ hosts: [String]) -> Bool {
        guard let host = host.map({ $0.utf8.map(\.lowercased) }) else { return false }
        return hosts.contains { $0.utf8.map(\.lowercased) == host }
    }

    /// Whether the body is JSON, by its type: a form of another site cannot send that.
    var hasJSONBody: Bool {
        guard let type = header("Content-Type") else { return false }
        let essence = type.prefix { $0 != ";" }.utf8.filter { $0 != UInt8(ascii: " ") }.map(\.lowercased)
        return essence.elementsEqual("application/json".utf8)
    }

    /// The reason to refuse a request that changes something, because another site may have made the browser send it; `nil` if there is none.
    ///
    /// - Parameter origins: The origins that are trusted besides the request's own host.
    func flawOfWrite(trusting origins: [String]) -> String? {
        let reason = "Changes are accepted from the console's own page only."
        if let site = header("Sec-Fetch-Site"), site != "same-origin" { return reason }
        guard let origin = header("Origin") else { return nil }
        // An origin has no slash at its end, but people write one.
        if origins.contains(where: { $0.utf8.elementsEqual(origin.utf8) || $0.utf8.elementsEqual((origin + "/").utf8) })
        {
            return nil
        }
        guard let host, !host.isEmpty else { return reason }
        return ["http://", "https://"].contains { origin.utf8.elementsEqual(($0 + host).utf8) } ? nil : reason
    }
}

extension UInt8 {
    /// The same letter in lower case, if it is one of ASCII.
    var lowercased: UInt8 { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self }
}
