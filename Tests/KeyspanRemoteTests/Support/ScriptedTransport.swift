import Foundation
@_spi(StoreAuthors) import KeyspanCore

@testable import KeyspanRemote

/// A transport to a publisher in this process, whose requests fail as a test says.
final class ScriptedTransport: RemoteTransport {
    enum Fault: Sendable {
        case none
        /// There is no connection.
        case unreachable
        /// The server answers with a status and headers, and without a body.
        case status(Int, [(name: String, value: String)] = [])
        /// The body is that of another response.
        case body([UInt8])
        /// The body ends after a number of bytes, with an error or without.
        case cut(after: Int, throwing: Bool)
        /// The body arrives in chunks of a number of bytes.
        case drip(Int)
        /// A byte of the body is another one.
        case flip(at: Int)
        /// There is never an answer.
        case silence
    }

    struct Failure: Error {}

    private struct State {
        var publisher: SettingsPublisher?
        var faults: [Fault] = []
        var requests: [RemoteTransportRequest] = []
    }

    private let state: Locked<State>

    init(to publisher: SettingsPublisher?, _ faults: [Fault] = []) {
        state = Locked(State(publisher: publisher, faults: faults))
    }

    var requests: [RemoteTransportRequest] { state.withLock(\.requests) }

    func connect(to publisher: SettingsPublisher?) { state.withLock { $0.publisher = publisher } }

    /// Adds faults of the next requests, in their order.
    func fail(_ faults: Fault...) { state.withLock { $0.faults += faults } }

    func clear() { state.withLock { $0.faults = [] } }

    func send(_ request: RemoteTransportRequest) async throws -> RemoteTransportResponse {
        let (publisher, fault) = state.withLock { state in
            state.requests.append(request)
            return (state.publisher, state.faults.isEmpty ? Fault.none : state.faults.removeFirst())
        }
        switch fault {
        case .unreachable: throw Failure()
        case .silence:
            try await Task.sleep(for: .seconds(3_600))
            throw Failure()
        case .status(let status, let headers):
            return RemoteTransportResponse(status: status, headers: headers, body: RemoteTransportBody([]))
        default: break
        }
        if case .body(let bytes) = fault, request.url.path() == "/settings" {
            return RemoteTransportResponse(status: 200, headers: [], body: RemoteTransportBody(bytes))
        }
        guard let publisher else { throw Failure() }
        let query = request.url.query().map { "?\($0)" } ?? ""
        let response = await publisher.respond(
            to: RemoteRequest(method: "GET", target: request.url.path() + query) { request.header($0) }
        )
        return RemoteTransportResponse(
            status: response.status,
            headers: response.headers,
            body: body(of: response, with: fault)
        )
    }

    private func body(of response: RemoteResponse, with fault: Fault) -> RemoteTransportBody {
        switch response.body {
        case .bytes(let bytes):
            switch fault {
            case .cut(let count, let isThrowing):
                RemoteTransportBody(Chunks([Array(bytes.prefix(count))], throwing: isThrowing))
            case .drip(let size): RemoteTransportBody(Chunks(bytes.chunks(of: size), throwing: false))
            case .flip(let offset): RemoteTransportBody(bytes.flipped(at: offset))
            default: RemoteTransportBody(bytes)
            }
        case .stream(let stream):
            RemoteTransportBody(FaultyStream(stream: stream, fault: fault))
        }
    }
}

/// Chunks that are all there, and then an error or the end.
struct Chunks: AsyncSequence, Sendable {
    let chunks: [[UInt8]]
    let isThrowing: Bool

    init(_ chunks: [[UInt8]], throwing isThrowing: Bool) {
        (self.chunks, self.isThrowing) = (chunks, isThrowing)
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        var rest: ArraySlice<[UInt8]>
        let isThrowing: Bool

        mutating func next() async throws -> [UInt8]? {
            if let chunk = rest.popFirst() { return chunk }
            if isThrowing { throw ScriptedTransport.Failure() }
            return nil
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: chunks[...], isThrowing: isThrowing) }
}

/// A stream of events that is cut, damaged or divided into small chunks.
struct FaultyStream: AsyncSequence, Sendable {
    let stream: RemoteEventStream
    let fault: ScriptedTransport.Fault

    struct AsyncIterator: AsyncIteratorProtocol {
        var stream: RemoteEventStream.AsyncIterator
        let fault: ScriptedTransport.Fault
        var count = 0
        var pending: [[UInt8]] = []

        mutating func next() async throws -> [UInt8]? {
            if !pending.isEmpty { return pending.removeFirst() }
            if case .cut(let limit, let isThrowing) = fault, count >= limit {
                if isThrowing { throw ScriptedTransport.Failure() }
                return nil
            }
            guard let chunk = await stream.next() else {
                try Task.checkCancellation()
                return nil
            }
            defer { count += chunk.count }
            switch fault {
            case .cut(let limit, _) where count + chunk.count > limit:
                return Array(chunk.prefix(limit - count))
            case .drip(let size):
                pending = chunk.chunks(of: size)
                return pending.removeFirst()
            case .flip(let offset) where (count..<count + chunk.count).contains(offset):
                return chunk.flipped(at: offset - count)
            default:
                return chunk
            }
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(stream: stream.makeAsyncIterator(), fault: fault)
    }
}

extension [UInt8] {
    func chunks(of size: Int) -> [[UInt8]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }

    func flipped(at offset: Int) -> [UInt8] {
        guard !isEmpty else { return self }
        var bytes = self
        bytes[offset % count] ^= 1
        return bytes
    }
}
