#if Remote
import KeyspanRemote
import NIOCore
import NIOHTTP1

/// Serves a publisher as a program of its users would.
struct PublisherSource: EventSource {
    private let settings: PublishedSettings

    init(_ settings: PublishedSettings) {
        self.settings = settings
    }

    var count: Int { settings.publisher.streamCount }

    func change(to number: Int) { settings.change(to: number) }

    @Sendable func answer(
        _ head: HTTPRequestHead,
        _ connection: EventServer.Connection,
        _ writer: EventServer.Writer
    ) async throws {
        let headers = head.headers
        let request = RemoteRequest(method: head.method.rawValue, target: head.uri) { headers.first(name: $0) }
        let response = await settings.publisher.respond(to: request)
        var answer = HTTPHeaders(response.headers.map { ($0.name, $0.value) })
        if case .bytes(let bytes) = response.body { answer.add(name: "Content-Length", value: "\(bytes.count)") }
        let status = HTTPResponseStatus(statusCode: response.status)
        try await writer.write(.head(HTTPResponseHead(version: .http1_1, status: status, headers: answer)))
        switch response.body {
        case .bytes(let bytes):
            try await writer.write(.body(.byteBuffer(ByteBuffer(bytes: bytes))))
        case .stream(let stream):
            for await chunk in stream { try await writer.write(.body(.byteBuffer(ByteBuffer(bytes: chunk)))) }
        }
        try await writer.write(.end(nil))
    }
}
#endif
