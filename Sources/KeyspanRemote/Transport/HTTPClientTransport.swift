#if RemoteHTTPClient && !canImport(Darwin)
internal import AsyncHTTPClient
public import HTTPTypes
@_spi(StoreAuthors) internal import KeyspanCore
internal import NIOCore
internal import NIOHTTP1

#if canImport(Glibc)
internal import Glibc
#else
internal import Musl
#endif

/// AsyncHTTPClient as the way of a ``RemoteStore`` to its server.
///
/// It keeps connections for later requests, with HTTP/2 where the server has it, and closes them when it is released.
/// One transport can serve several stores.
public final class HTTPClientTransport: RemoteTransport {
    private let client: HTTPClient

    /// Makes a transport with a client of its own, on the event loops of the process.
    ///
    /// - Parameter connectTimeout: The time within which a connection has to be made.
    public init(connectTimeout: Duration = .seconds(10)) {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout.connect = TimeAmount(connectTimeout)
        // The store has pauses of its own, and says at once that the server cannot be reached.
        configuration.connectionPool.retryConnectionEstablishment = false
        // Each stream of a store has a connection, unless the server has HTTP/2.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1_024
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    deinit { client.shutdown { _ in } }

    public func send(_ request: HTTPRequest) async throws -> (head: HTTPResponse, body: Body) {
        var sent = HTTPClientRequest(url: request.urlText)
        sent.method = .GET
        for field in request.headerFields { sent.headers.add(name: field.name.rawName, value: field.value) }
        let response = try await response(to: sent)
        var head = try HTTPResponse(code: Int(response.status.code))
        for (name, value) in response.headers {
            if let name = HTTPField.Name(name) { head.headerFields.append(HTTPField(name: name, value: value)) }
        }
        return (head, response.body.map { [UInt8](buffer: $0) })
    }

    /// Executes a request, and once more if the server closes the connection in place of a response: it may have done
    /// that while the connection was kept for this request (RFC 9110, section 9.2.2).
    private func response(to request: HTTPClientRequest) async throws -> HTTPClientResponse {
        do {
            // The store cancels its task if the answer takes too long.
            return try await client.execute(request, deadline: .distantFuture)
        } catch  where Self.isClosedConnection(error) {
            return try await client.execute(request, deadline: .distantFuture)
        }
    }

    private static func isClosedConnection(_ error: any Error) -> Bool {
        // Not a connection that cannot be made.
        if let error = error as? IOError { return [ECONNRESET, EPIPE].contains(error.errnoCode) }
        return error as? ChannelError == .ioOnClosedChannel || error as? HTTPClientError == .remoteConnectionClosed
    }
}
#endif
