#if Remote
import HTTPTypes
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
        var fields = HTTPFields()
        if let known = head.headers.first(name: "If-None-Match") { fields[.ifNoneMatch] = known }
        let response = settings.publisher.respond(to: PublishedSettings.request(head.uri, fields))
        var answer = HTTPHeaders(response.head.headerFields.map { ($0.name.rawName, $0.value) })
        if case .bytes(let bytes) = response.body { answer.add(name: "Content-Length", value: "\(bytes.count)") }
        let status = HTTPResponseStatus(statusCode: response.head.status.code)
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
