import Foundation
import HTTPTypes
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Testing

@testable import KeyspanRemote

/// A transport whose answers a closure makes.
final class ClosureTransport: RemoteTransport {
    private let respond: @Sendable (HTTPRequest, Int) async throws -> TransportAnswer
    private let sent = Locked<[HTTPRequest]>([])

    /// - Parameter respond: Makes the answer to a request, which has a number from 0.
    init(_ respond: @escaping @Sendable (HTTPRequest, Int) async throws -> TransportAnswer) {
        self.respond = respond
    }

    var requests: [HTTPRequest] { sent.withLock(\.self) }

    func send(_ request: HTTPRequest) async throws -> (head: HTTPResponse, body: Body) {
        let number = sent.withLock { sent in
            sent.append(request)
            return sent.count - 1
        }
        let answer = try await respond(request, number)
        return (answer.head, answer.body)
    }
}

extension HTTPRequest {
    /// Whether this asks for the stream.
    var isStream: Bool { path?.hasSuffix("/changes") ?? false }
}

/// The answer of a server to a transport.
struct TransportAnswer: Sendable {
    var head: HTTPResponse
    var body: RemoteTransport.Body

    /// A document, or another text.
    static func body(_ bytes: [UInt8], _ fields: HTTPFields = [:]) -> Self {
        Self(head: HTTPResponse(status: .ok, headerFields: fields), body: TestBody([bytes]))
    }

    static func status(_ status: Int, _ fields: HTTPFields = [:]) -> Self {
        Self(head: HTTPResponse(status: .init(code: status), headerFields: fields), body: TestBody([]))
    }

    /// A stream of chunks.
    static func stream(_ chunks: AsyncStream<[UInt8]>) -> Self {
        let fields: HTTPFields = [.contentType: "text/event-stream; charset=utf-8"]
        return Self(head: HTTPResponse(status: .ok, headerFields: fields), body: TestBody(chunks))
    }

    /// A stream of chunks that then ends, or stays open.
    static func stream(_ chunks: [[UInt8]], thenEnds: Bool = false) -> Self {
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        for chunk in chunks { continuation.yield(chunk) }
        if thenEnds { continuation.finish() }
        return .stream(stream)
    }
}

/// A body of chunks.
struct TestBody: AsyncSequence, Sendable {
    typealias Element = [UInt8]
    typealias Failure = any Error

    private let chunks: AsyncStream<[UInt8]>

    init(_ chunks: AsyncStream<[UInt8]>) {
        self.chunks = chunks
    }

    init(_ chunks: [[UInt8]]) {
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        for chunk in chunks { continuation.yield(chunk) }
        continuation.finish()
        self.chunks = stream
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var chunks: AsyncStream<[UInt8]>.AsyncIterator

        mutating func next() async throws -> [UInt8]? { await chunks.next() }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(chunks: chunks.makeAsyncIterator()) }
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

/// The event of a tag.
func event(_ tag: String, spread: Int = 0) -> [UInt8] { Array("event: changed\ndata: \(tag) \(spread)\n\n".utf8) }

let comment = Array(":\n\n".utf8)
