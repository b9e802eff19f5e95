#if Remote
public import HTTPTypes

/// The way of a ``RemoteStore`` to its server: sends requests of HTTP.
///
/// A transport follows no redirect, keeps no responses, and limits no waiting but that for a connection: the store
/// cancels the task that waits for too long, and the transport then closes the connection and throws. It is called by
/// several tasks at once.
///
/// The module has `URLSessionTransport` on Apple's systems, and with the trait `RemoteHTTPClient` there is
/// `HTTPClientTransport` on Linux.
public protocol RemoteTransport: Sendable {
    /// The body of a response as it arrives, without the transfer encoding and without compression, in chunks of any
    /// size.
    ///
    /// It is read once. The end of the iteration, or the release of the iterator, closes the connection if the body is
    /// not complete.
    typealias Body = any AsyncSequence<[UInt8], any Error> & Sendable

    /// Sends a request, and returns as soon as the header fields of the response are there.
    ///
    /// - Parameter request: The request: `GET` with scheme, authority and path, without a body.
    /// - Returns: The status and header fields, and the body, which comes as it is read.
    /// - Throws: Any error, if the server does not answer.
    func send(_ request: HTTPRequest) async throws -> (head: HTTPResponse, body: Body)
}

extension HTTPRequest {
    /// The URL of the request as text.
    var urlText: String { "\(scheme ?? "https")://\(authority ?? "")\(path ?? "/")" }
}

extension HTTPResponse {
    /// A response of a status, which a server of HTTP/2 can choose freely.
    init(code: Int) throws(RemoteStoreError) {
        guard (100...999).contains(code) else { throw .refused(code) }
        self.init(status: Status(code: code))
    }
}
#endif
