#if Remote
import Foundation
import HTTPTypes
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport

@testable import KeyspanRemote

/// The way to a server in simulated time, also through someone who has no key.
final class SimulatedNetwork: RemoteTransport {
    typealias Answer = @Sendable (SimulatedNetwork, HTTPRequest) async throws -> TransportAnswer

    /// The requests of a kind.
    struct Count: Sendable {
        var documents = 0
        var announced = 0
        var streams = 0
        /// The shortest time between two requests for the document.
        var shortestGap = Duration.seconds(1 << 40)
        var lastDocument: ManualClock.Instant?
    }

    /// A request and its time.
    struct Entry: Sendable {
        let time: ManualClock.Instant
        let request: HTTPRequest
        var path: String { request.path ?? "" }
    }

    private static let maximumEntryCount = 1_000

    private struct State {
        var isDisturbed = false
        /// The latest requests.
        var entries: [Entry] = []
        /// The chunks that a test has posted, and the number of streams that it has ended.
        var posted: [[UInt8]] = []
        var endCount = 0
        var chunkCount = 0
        var count = Count()
        /// The document before the last one, and the last one before the attack.
        var documents: [[UInt8]] = []
    }

    /// The pause between the events of a server without changes; shorter than the timeout of the client.
    let heartbeat: Duration

    let server: TestServer
    let clock: ManualClock
    private let documents: Answer
    private let streams: Answer
    private let state: Locked<State>

    init(
        _ server: TestServer,
        _ clock: ManualClock,
        documents: @escaping Answer = SimulatedNetwork.passOn,
        streams: @escaping Answer = SimulatedNetwork.passOn,
        isDisturbed: Bool = false,
        heartbeat: Duration = .seconds(25)
    ) {
        self.heartbeat = heartbeat
        state = Locked(State(isDisturbed: isDisturbed))
        (self.server, self.clock, self.documents, self.streams) = (server, clock, documents, streams)
    }

    var count: Count { state.withLock(\.count) }

    /// The latest requests for documents, and those for streams.
    var documentEntries: [Entry] { state.withLock { $0.entries.filter { !$0.request.isStream } } }
    var streamEntries: [Entry] { state.withLock { $0.entries.filter(\.request.isStream) } }

    func clearEntries() { state.withLock { $0.entries = [] } }

    /// Sends a chunk on the stream that ``posted`` has opened.
    func post(_ chunk: [UInt8]) {
        state.withLock { $0.posted.append(chunk) }
        clock.wakeConnections()
    }

    /// Ends the streams that ``posted`` has opened.
    func endStreams() {
        state.withLock { $0.endCount += 1 }
        clock.wakeConnections()
    }

    /// Keeps the document that the server has now.
    func record() throws {
        let document = try server.document()
        state.withLock { $0.documents.append(document) }
    }

    func disturb() { state.withLock { ($0.isDisturbed, $0.count) = (true, Count()) } }

    func send(_ request: HTTPRequest) async throws -> (head: HTTPResponse, body: Body) {
        let now = clock.now
        let isDisturbed = state.withLock { state in
            state.count.add(request, at: now)
            state.entries.append(Entry(time: now, request: request))
            if state.entries.count > Self.maximumEntryCount { state.entries.removeFirst(Self.maximumEntryCount / 2) }
            return state.isDisturbed
        }
        let answer = request.isStream ? streams : documents
        let result = try await (isDisturbed ? answer : Self.passOn)(self, request)
        return (result.head, result.body)
    }
}

extension SimulatedNetwork.Count {
    fileprivate mutating func add(_ request: HTTPRequest, at now: ManualClock.Instant) {
        switch request.path {
        case "/settings/all":
            documents += 1
            if let last = lastDocument { shortestGap = min(shortestGap, last.duration(to: now)) }
            lastDocument = now
        case let path? where path.hasSuffix("/changes"): streams += 1
        default: announced += 1
        }
    }
}

// MARK: - What someone on the way can do

extension SimulatedNetwork {
    /// Passes the request on to the server.
    static let passOn: Answer = { network, request in
        if request.isStream {
            return network.events(every: network.heartbeat, begins: true) { event($0, spread: 1) }
        }
        let response = network.server.get(request.path ?? "", request.headerFields)
        guard case .bytes(let bytes) = response.body else { throw ScriptedTransport.Failure() }
        return TransportAnswer(head: response.head, body: TestBody([bytes]))
    }

    /// A stream of the chunks that the test posts, with comments between.
    static let posted: Answer = { network, _ in
        let endCount = network.state.withLock(\.endCount)
        return .stream(
            AsyncStream {
                for isLate in [false, true] where !Task.isCancelled {
                    let (chunk, isEnded) = network.state.withLock { state in
                        (state.posted.isEmpty ? nil : state.posted.removeFirst(), state.endCount != endCount)
                    }
                    if isEnded { return nil }
                    if let chunk { return chunk }
                    if isLate { return comment }
                    await network.clock.passOnConnection(network.heartbeat)
                }
                return nil
            }
        )
    }

    /// Accepts the request, and never answers.
    static let silence: Answer = { network, _ in
        while !Task.isCancelled { await network.clock.passOnConnection() }
        throw CancellationError()
    }

    /// Sends the head of a good response, and nothing more.
    static let headOnly: Answer = { network, request in
        let fields: HTTPFields = [.contentType: request.isStream ? "text/event-stream" : "text/plain"]
        let chunks = AsyncStream<[UInt8]> {
            while !Task.isCancelled { await network.clock.passOnConnection() }
            return nil
        }
        return TransportAnswer(head: HTTPResponse(status: .ok, headerFields: fields), body: TestBody(chunks))
    }

    static func status(_ status: Int, _ fields: HTTPFields = [:]) -> Answer {
        { _, _ in .status(status, fields) }
    }

    /// Answers with a document from before the attack: 0 for one that the client has outgrown, 1 for that of the client.
    static func replay(_ number: Int) -> Answer {
        { network, _ in .body(network.state.withLock { $0.documents[number] }) }
    }

    /// Sends chunks on a stream, with the pauses of a server without changes or with others.
    static func stream(
        every pause: Duration? = nil,
        _ chunk: @escaping @Sendable (_ presentTag: String, _ number: Int) -> String
    ) -> Answer {
        { network, _ in
            network.events(every: pause ?? network.heartbeat, begins: false) { tag in
                let number = network.state.withLock { state in
                    state.chunkCount += 1
                    return state.chunkCount
                }
                return Array(chunk(tag, number).utf8)
            }
        }
    }

    /// Chunks that are made of the server's present tag, until the attack begins or the client goes.
    private func events(
        every pause: Duration,
        begins: Bool,
        _ chunk: @escaping @Sendable (String) -> [UInt8]
    ) -> TransportAnswer {
        let isDisturbed = state.withLock(\.isDisturbed)
        let hasBegun = Locked(!begins)
        return .stream(
            AsyncStream {
                if hasBegun.withLock({ begun in
                    defer { begun = true }
                    return begun
                }) {
                    await self.clock.passOnConnection(pause)
                }
                guard !Task.isCancelled, self.state.withLock(\.isDisturbed) == isDisturbed else { return nil }
                return (try? self.server.tag()).map { chunk($0.text) }
            }
        )
    }
}
#endif
