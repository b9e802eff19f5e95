#if Remote
public import HTTPTypes

/// The response of a ``SettingsPublisher``.
public struct RemoteResponse: Sendable {
    /// The body of a response.
    public enum Body: Sendable {
        /// All bytes at once.
        case bytes([UInt8])
        /// A stream of events, which the server writes one by one, and flushes after each.
        ///
        /// The end of the iteration, or the release of the stream, frees the place of the client.
        case stream(AsyncStream<[UInt8]>)
    }

    /// The status and the header fields, without those that say how the body is transferred.
    public let head: HTTPResponse
    /// The body.
    public let body: Body

    init(_ status: HTTPResponse.Status, _ fields: HTTPFields, body: Body = .bytes([])) {
        head = HTTPResponse(status: status, headerFields: fields)
        self.body = body
    }

    /// A failure, with a sentence for the person who looks at it.
    static func failure(
        _ status: HTTPResponse.Status,
        _ sentence: String,
        _ fields: HTTPFields = [:]
    ) -> RemoteResponse {
        var fields = fields
        fields[.contentType] = "text/plain; charset=utf-8"
        fields[.cacheControl] = "no-store"
        return RemoteResponse(status, fields, body: .bytes(Array("\(sentence)\n".utf8)))
    }
}
#endif
