#if Remote || canImport(CryptoKit)
/// The response of a ``SettingsPublisher``, in the words of no framework.
public struct RemoteResponse: Sendable {
    /// The body of a response.
    public enum Body: Sendable {
        /// All bytes at once.
        case bytes([UInt8])
        /// A stream of events, which the server writes chunk by chunk, and flushes after each.
        case stream(RemoteEventStream)
    }

    /// The status, such as 200.
    public let status: Int
    /// The headers, without those that say how the body is transferred.
    public let headers: [(name: String, value: String)]
    /// The body.
    public let body: Body

    /// The value of a header, whose name is compared without regard to case.
    public func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name.lowercased() == name }?.value
    }

    init(_ status: Int, _ headers: [(name: String, value: String)], body: Body = .bytes([])) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    /// A failure, with a sentence for the person who looks at it.
    static func failure(_ status: Int, _ sentence: String, _ headers: [(name: String, value: String)] = [])
        -> RemoteResponse
    {
        let own = [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")]
        return RemoteResponse(
            status,
            own.map { (name: $0.0, value: $0.1) } + headers,
            body: .bytes(Array("\(sentence)\n".utf8))
        )
    }
}
#endif
