#if Remote && canImport(Darwin)
internal import Foundation
public import HTTPTypes
@_spi(StoreAuthors) internal import KeyspanCore

/// `URLSession` as the way of a ``RemoteStore`` to its server.
///
/// The session keeps neither responses nor cookies. Proxies, the pinning of certificates by the property list of the
/// app, and App Transport Security apply as to all requests of the app.
public final class URLSessionTransport: RemoteTransport {
    private let session: URLSession
    private let delegate = RedirectRefusal()

    /// Makes a transport with a session of its own.
    public init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.waitsForConnectivity = false
        // Each stream of a store has a connection, unless the server has HTTP/2.
        configuration.httpMaximumConnectionsPerHost = 64
        session = URLSession(configuration: configuration)
    }

    deinit { session.finishTasksAndInvalidate() }

    public func send(_ request: HTTPRequest) async throws -> (head: HTTPResponse, body: Body) {
        guard let url = URL(string: request.urlText) else { throw URLError(.badURL) }
        // The store cancels its task if nothing arrives in time.
        var sent = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 86_400)
        for field in request.headerFields { sent.setValue(field.value, forHTTPHeaderField: field.name.rawName) }
        let (bytes, response) = try await session.bytes(for: sent, delegate: delegate)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        var head = try HTTPResponse(code: response.statusCode)
        for (name, value) in response.allHeaderFields {
            guard let name = (name as? String).flatMap({ HTTPField.Name($0) }), let value = value as? String else {
                continue
            }
            head.headerFields.append(HTTPField(name: name, value: value))
        }
        return (head, LineChunks(bytes: bytes, task: TaskHolder(bytes.task)))
    }
}

/// Leaves redirects to the store.
private final class RedirectRefusal: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest
    ) async -> URLRequest? {
        nil
    }
}

/// Ends a request when the body of its response is released before its end.
private final class TaskHolder: Sendable {
    private let task: URLSessionDataTask

    init(_ task: URLSessionDataTask) {
        self.task = task
    }

    deinit { task.cancel() }
}

/// The bytes of a response in chunks that end with lines, so that an event is complete as soon as it is here.
private struct LineChunks: AsyncSequence, Sendable {
    typealias Element = [UInt8]
    typealias Failure = any Error

    let bytes: URLSession.AsyncBytes
    let task: TaskHolder

    struct AsyncIterator: AsyncIteratorProtocol {
        var bytes: URLSession.AsyncBytes.AsyncIterator
        let task: TaskHolder

        private static let maximumCount = 1 << 14

        mutating func next() async throws -> [UInt8]? {
            var chunk: [UInt8] = []
            while chunk.count < Self.maximumCount, let byte = try await bytes.next() {
                chunk.append(byte)
                if byte == UInt8(ascii: "\n") { break }
            }
            return chunk.isEmpty ? nil : chunk
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(bytes: bytes.makeAsyncIterator(), task: task) }
}
#endif
