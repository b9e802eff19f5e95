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
        session = URLSession(configuration: configuration)
    }

    deinit {
        session.finishTasksAndInvalidate()
    }

    public func send(_ request: HTTPRequest) async throws -> (head: HTTPResponse, body: Body) {
        guard let url = URL(string: request.urlText) else { throw URLError(.badURL) }
        // The store cancels its task if nothing arrives in time.
        var sent = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 86_400)
        for field in request.headerFields { sent.setValue(field.value, forHTTPHeaderField: field.name.rawName) }
        let (bytes, response) = try await session.bytes(for: sent, delegate: delegate)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        var head = HTTPResponse(status: .init(code: response.statusCode))
        for (name, value) in response.allHeaderFields {
            guard let name = (name as? String).flatMap(HTTPField.Name.init), let value = value as? String else {
                continue
            }
            head.headerFields.append(HTTPField(name: name, value: value))
        }
        let holder = TaskHolder(bytes.task)
        var iterator = bytes.makeAsyncIterator()
        // Chunks end with lines, so that an event is complete as soon as it is here.
        let chunks = AsyncThrowingStream<[UInt8], any Error> {
            var chunk: [UInt8] = []
            while chunk.count < 1 << 14, let byte = try await iterator.next() {
                chunk.append(byte)
                if byte == UInt8(ascii: "\n") { break }
            }
            return withExtendedLifetime(holder) { chunk.isEmpty ? nil : chunk }
        }
        return (head, chunks)
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

    deinit {
        task.cancel()
    }
}
#endif
