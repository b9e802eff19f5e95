#if Console
public import HTTPTypes
import KeyspanCore

extension SettingsConsole {
    /// A request, as the access closure sees it.
    public struct Request: Sendable {
        /// The method, the path with the query, and the header fields.
        public let head: HTTPRequest
        /// The identity of the sender, as the server gave it to ``SettingsConsole/respond(to:from:body:)``.
        public let sender: String?
    }
}

extension SettingsConsole.Request {
    /// The value of a header field; the first one of several.
    func header(_ name: String) -> String? {
        HTTPField.Name(name).flatMap { head.headerFields[values: $0].first }
    }

    private var target: String { head.path ?? "" }

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
    private var host: String? { header("Host") ?? head.authority }

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

    /// Whether another site may have made the browser send a request that changes something.
    ///
    /// - Parameter origins: The origins that are trusted besides the request's own host.
    func isForeign(trusting origins: [String]) -> Bool {
        if let site = header("Sec-Fetch-Site"), site != "same-origin" { return true }
        guard let origin = header("Origin") else { return false }
        // An origin has no slash at its end, but people write one.
        if origins.contains(where: { $0.hasSameUTF8(as: origin) || $0.hasSameUTF8(as: origin + "/") }) { return false }
        guard let host, !host.isEmpty else { return true }
        return !["http://", "https://"].contains { origin.hasSameUTF8(as: $0 + host) }
    }
}

extension UInt8 {
    /// The same letter in lower case, if it is one of ASCII.
    var lowercased: UInt8 { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self }
}
#endif
