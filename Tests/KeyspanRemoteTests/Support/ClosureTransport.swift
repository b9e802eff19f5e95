import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Testing

@testable import KeyspanRemote

/// A transport whose answers a closure makes.
final class ClosureTransport: RemoteTransport {
    private let respond: @Sendable (RemoteTransportRequest, Int) async throws -> RemoteTransportResponse
    private let sent = Locked<[RemoteTransportRequest]>([])

    /// - Parameter respond: Makes the answer to a request, which has a number from 0.
    init(_ respond: @escaping @Sendable (RemoteTransportRequest, Int) async throws -> RemoteTransportResponse) {
        self.respond = respond
    }

    var requests: [RemoteTransportRequest] { sent.withLock(\.self) }

    func send(_ request: RemoteTransportRequest) async throws -> RemoteTransportResponse {
        let number = sent.withLock { sent in
            sent.append(request)
            return sent.count - 1
        }
        return try await respond(request, number)
    }
}

extension RemoteTransportRequest {
    /// Whether this asks for the stream.
    var isStream: Bool { url.path().hasSuffix("/changes") }
}

extension RemoteTransportResponse {
    /// A document, or another text.
    static func body(_ bytes: [UInt8], _ headers: [(name: String, value: String)] = []) -> Self {
        Self(status: 200, headers: headers, body: RemoteTransportBody(bytes))
    }

    static func status(_ status: Int, _ headers: [(name: String, value: String)] = []) -> Self {
        Self(status: status, headers: headers, body: RemoteTransportBody([]))
    }

    /// A stream of chunks.
    static func stream(_ chunks: AsyncStream<[UInt8]>) -> Self {
        Self(
            status: 200,
            headers: [(name: "Content-Type", value: "text/event-stream; charset=utf-8")],
            body: RemoteTransportBody(chunks)
        )
    }

    /// A stream of chunks that then ends, or stays open.
    static func stream(_ chunks: [[UInt8]], thenEnds: Bool = false) -> Self {
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        for chunk in chunks { continuation.yield(chunk) }
        if thenEnds { continuation.finish() }
        return .stream(stream)
    }
}

/// A stream whose sender learns when a reader has dealt with a chunk.
final class ManualStream: Sendable {
    private let (pending, continuation) = AsyncStream.makeStream(of: [UInt8].self)
    /// The number of chunks that the reader has asked for.
    private let asked = Locked(0)
    private let sent = Locked(0)

    var chunks: AsyncStream<[UInt8]> {
        AsyncStream {
            self.asked.withLock { $0 += 1 }
            return await self.pending.first { _ in true }
        }
    }

    /// Sends a chunk.
    @discardableResult
    func post(_ chunk: [UInt8]) -> Int {
        continuation.yield(chunk)
        return sent.withLock { sent in
            sent += 1
            return sent
        }
    }

    /// Sends a chunk, and returns when the reader asks for the next one.
    func send(_ chunk: [UInt8]) async throws {
        let count = post(chunk)
        try await eventually("the reader asks for another chunk", asked.withLock(\.self)) { $0 > count }
    }
}

/// The text of an event.
func event(_ type: String, _ message: [UInt8]) -> [UInt8] {
    let lines = message.split(separator: UInt8(ascii: "\n"))
    var bytes = Array("event: \(type)\n".utf8)
    for line in lines { bytes += Array("data: ".utf8) + line + [UInt8(ascii: "\n")] }
    return bytes + [UInt8(ascii: "\n")]
}

let comment = Array(":\n\n".utf8)
