import Foundation
import HTTPTypes
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
        case status(Int, HTTPFields = [:])
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
        var requests: [HTTPRequest] = []
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

    var requests: [HTTPRequest] { state.withLock(\.requests) }

    func connect(to publisher: SettingsPublisher?) {
        state.withLock { $0.base = publisher.map(PublisherTransport.init) }
    }

    /// Adds faults of the next requests, in their order.
    func fail(_ faults: Fault...) { state.withLock { $0.faults += faults } }

    func clear() { state.withLock { $0.faults = [] } }

    func send(_ request: HTTPRequest) async throws -> (head: HTTPResponse, body: Body) {
        let (base, fault) = state.withLock { state in
            state.requests.append(request)
            return (state.base, state.faults.isEmpty ? Fault.none : state.faults.removeFirst())
        }
        let answer: TransportAnswer
        switch fault {
        case .unreachable: throw Failure()
        case .silence:
            clock?.advance(by: .seconds(3_600))
            for await _ in AsyncStream<Never>.makeStream().stream {}
            throw CancellationError()
        case .status(let status, let fields): answer = .status(status, fields)
        case .body(let bytes) where !request.isStream: answer = .body(bytes)
        default:
            guard let base else { throw Failure() }
            let (head, body) = try await base.send(request)
            answer = TransportAnswer(head: head, body: FaultyBody(body: body, fault: fault))
        }
        return (answer.head, answer.body)
    }
}

/// The way to a publisher in this process.
private struct PublisherTransport: RemoteTransport {
    let publisher: SettingsPublisher

    init(_ publisher: SettingsPublisher) { self.publisher = publisher }

    func send(_ request: HTTPRequest) async throws -> (head: HTTPResponse, body: Body) {
        let response = publisher.respond(to: request)
        switch response.body {
        case .bytes(let bytes): return (response.head, TestBody([bytes]))
        case .stream(let stream): return (response.head, TestBody(stream))
        }
    }
}

/// A body that is cut, damaged or divided into small chunks.
private struct FaultyBody: AsyncSequence, Sendable {
    typealias Element = [UInt8]
    typealias Failure = any Error

    let body: RemoteTransport.Body
    let fault: ScriptedTransport.Fault

    struct AsyncIterator: AsyncIteratorProtocol {
        var body: any AsyncIteratorProtocol<[UInt8], any Error>
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
