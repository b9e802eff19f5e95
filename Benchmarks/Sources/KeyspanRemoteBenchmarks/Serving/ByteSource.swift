#if Remote
import NIOCore
import NIOHTTP1

/// Writes the same bytes to all connections, as many as a publisher's event has.
struct ByteSource: EventSource {
    private final class Connections: Sendable {
        let channels = Locked<[any Channel]>([])
    }

    private let connections = Connections()

    var count: Int { connections.channels.withLock(\.count) }

    func change(to number: Int) {
        let event = Self.event(number)
        for channel in connections.channels.withLock({ $0 }) {
            channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(event)), promise: nil)
        }
    }

    private static func event(_ number: Int) -> ByteBuffer {
        ByteBuffer(string: "event: changed\ndata: " + String(repeating: "x", count: 70) + " \(number)\n\n")
    }

    @Sendable func answer(
        _ head: HTTPRequestHead,
        _ connection: EventServer.Connection,
        _ writer: EventServer.Writer
    ) async throws {
        let headers = HTTPHeaders([("Content-Type", "text/event-stream")])
        try await writer.write(.head(HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)))
        try await writer.write(.body(.byteBuffer(Self.event(0))))
        connections.channels.withLock { $0.append(connection.channel) }
        try await connection.channel.closeFuture.get()
    }
}
#endif
