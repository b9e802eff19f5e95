import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport

@testable import KeyspanRemote

/// A transport to a publisher in this process, or over another transport, whose requests fail as a test says.
final class ScriptedTransport: RemoteTransport {
    enum Fault: Sendable {
        case none
        /// The connection fails.
        case unreachable
        /// The server answers with a status and headers, and without a body.
        case status(Int, [(name: String, value: String)] = [])
        /// The body is that of another document.
        case body([UInt8])
        /// The body ends after a number of bytes, with an error or without.
        case cut(after: Int, throwing: Bool)
        /// The body arrives in chunks of a number of bytes.
        case drip(Int)
        /// A byte of the body is another one.
        case flip(at: Int)
        /// There is never an answer, and the client's time for it passes at once.
        case silence
    }

    struct Failure: Error {}

    private struct State {
        var base: (any RemoteTransport)?
        var faults: [Fault] = []
        var requests: [RemoteTransportRequest] = []
    }

    private let state: Locked<State>
    private let clock: ManualClock?

    init(over base: (any RemoteTransport)?, _ faults: [Fault] = [], clock: ManualClock? = nil) {
        state = Locked(State(base: base, faults: faults))
        self.clock = clock
    }

    convenience init(to publisher: SettingsPublisher?, _ faults: [Fault] = [], clock: ManualClock? = nil) {
        self.init(over: publisher.map(PublisherTransport.init), faults, clock: clock)
    }

    var requests: [RemoteTransportRequest] { state.withLock(\.requests) }

    func connect(to publisher: SettingsPublisher?) {
        state.withLock { $0.base = publisher.map(PublisherTransport.init) }
    }

    /// Adds faults of the next requests, in their order.
    func fail(_ faults: Fault...) { state.withLock { $0.faults += faults } }

    func clear() { state.withLock { $0.faults = [] } }

    func send(_ request: RemoteTransportRequest) async throws -> RemoteTransportResponse {
        let (base, fault) = state.withLock { state in
            state.requests.append(request)
            return (state.base, state.faults.isEmpty ? Fault.none : state.faults.removeFirst())
        }
        switch fault {
        case .unreachable: throw Failure()
        case .silence:
            clock?.advance(by: .seconds(3_600))
            for await _ in AsyncStream<Never>.makeStream().stream {}
            throw CancellationError()
        case .status(let status, let headers): return .status(status, headers)
        case .body(let bytes) where !request.isStream: return .body(bytes)
        default: break
        }
        guard let base else { throw Failure() }
        let response = try await base.send(request)
        let body = FaultyBody(body: response.body, fault: fault)
        return RemoteTransportResponse(
            status: response.status,
            headers: response.headers,
            body: RemoteTransportBody(body)
        )
    }
}

/// The way to a publisher in this process.
private struct PublisherTransport: RemoteTransport {
    let publisher: SettingsPublisher

    init(_ publisher: SettingsPublisher) { self.publisher = publisher }

    func send(_ request: RemoteTransportRequest) async throws -> RemoteTransportResponse {
        let query = request.url.query().map { "?\($0)" } ?? ""
        let response = await publisher.respond(
            to: RemoteRequest(method: "GET", target: request.url.path() + query) { request.header($0) }
        )
        let body: RemoteTransportBody =
            switch response.body {
            case .bytes(let bytes): RemoteTransportBody(bytes)
            case .stream(let stream): RemoteTransportBody(stream)
            }
        return RemoteTransportResponse(status: response.status, headers: response.headers, body: body)
    }
}

/// A body that is cut, damaged or divided into small chunks.
private struct FaultyBody: AsyncSequence, Sendable {
    let body: RemoteTransportBody
    let fault: ScriptedTransport.Fault

    struct AsyncIterator: AsyncIteratorProtocol {
        var body: RemoteTransportBody.AsyncIterator
        let fault: ScriptedTransport.Fault
        var count = 0
        var pending: [[UInt8]] = []

        mutating func next() async throws -> [UInt8]? {
            if !pending.isEmpty { return pending.removeFirst() }
            if case .cut(let limit, let isThrowing) = fault, count >= limit {
                if isThrowing { throw ScriptedTransport.Failure() }
                return nil
            }
            guard let chunk = try await body.next() else {
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

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: body.makeAsyncIterator(), fault: fault) }
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
