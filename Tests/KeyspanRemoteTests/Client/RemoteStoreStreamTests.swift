#if Remote
import Foundation
import HTTPTypes
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// The life of the stream that a store keeps open beside its requests.
@Suite(.bounded, .seeded)
struct RemoteStoreStreamTests {
    private let server: TestServer
    private let (dates, clock): (TestClock, ManualClock)
    private let problems = Problems()

    init() throws {
        dates = TestClock()
        clock = ManualClock(moving: dates)
        server = try TestServer(["limit": 0], clock: dates)
    }

    private func makeStore(
        streams: @escaping SimulatedNetwork.Answer = SimulatedNetwork.posted,
        isLive: Bool = true
    ) throws -> (RemoteStore, SimulatedNetwork) {
        let network = SimulatedNetwork(server, clock, streams: streams, isDisturbed: true)
        let store = try problems.collect {
            try makeClient(of: server, over: network, clock: dates, times: clock) { options in
                (options.isLive, options.polling) = (isLive, .every(.seconds(900)))
                options.timeout = ManualClock.timeout
            }
        }
        return (store, network)
    }

    private func present() throws -> [UInt8] { event(try server.tag().text) }

    private func gaps(_ network: SimulatedNetwork) -> [Duration] {
        zip(network.streamEntries, network.streamEntries.dropFirst()).map { $0.time.duration(to: $1.time) }
    }

    @Test func `a stream is that of the group, and a store is live after its first event`() async throws {
        let (store, network) = try makeStore()
        await clock.run(for: .seconds(60), parts: 2)
        let request = try #require(network.streamEntries.first).request
        #expect(request.path == "/settings/all/changes")
        #expect(
            request.headerFields[.accept] == "text/event-stream" && request.headerFields[.cacheControl] == "no-store"
        )
        // Comments are no events.
        #expect(!store.status.isLive)
        network.post(try present())
        await clock.rest(of: 2)
        #expect(store.status.isLive && store.status.description.contains(", live"))
        #expect(network.streamEntries.count == 1 && problems.kinds == [])
    }

    @Test func `events prove nothing`() async throws {
        let (store, network) = try makeStore()
        await clock.rest(of: 2)
        let proof = dates.now
        for _ in 0..<30 {
            network.post(try present())
            await clock.run(for: .seconds(20), parts: 2)
        }
        #expect(store.status.isLive && store.status.lastProof == proof)
    }

    @Test func `a store that is no longer live closes its stream, and opens another one when it is`() async throws {
        let (store, network) = try makeStore()
        await clock.rest(of: 2)
        network.post(try present())
        await clock.rest(of: 2)
        #expect(store.isLive && store.status.isLive)
        store.isLive = false
        #expect(!store.status.isLive && !store.isLive)
        await clock.rest(of: 1)
        await clock.run(for: .seconds(10_000), parts: 1)
        #expect(network.streamEntries.count == 1 && problems.kinds == [])
        store.isLive = true
        await clock.rest(of: 2)
        #expect(network.streamEntries.count == 2 && !store.status.isLive)
        network.post(try present())
        await clock.rest(of: 2)
        #expect(store.status.isLive)
    }

    @Test func `an event that arrives after the end of its stream does nothing`() async throws {
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let (late, document) = (event(bogusTag), try server.document())
        let isDone = Recorder<Void>()
        let transport = ClosureTransport { request, _ in
            guard request.isStream else { return .body(document) }
            let body = StubbornBody(chunks: [event(bogusTag), late], gate: gate, end: isDone)
            let fields: HTTPFields = [.contentType: "text/event-stream"]
            return TransportAnswer(head: HTTPResponse(status: .ok, headerFields: fields), body: body)
        }
        let times = ManualClock()
        let store = try makeClient(of: server, over: transport, times: times) { $0.isLive = true }
        try await eventually("the store is live", store.status.isLive, is: true)
        store.isLive = false
        opening.finish()
        try await eventually("the late event has arrived", isDone.count, is: 1)
        #expect(!store.status.isLive)
    }

    private var bogusTag: String { String(repeating: "a", count: 32) + ".1.9000000000000000.test-1" }

    @Test func `a stream that is lost is opened again at a random time`() async throws {
        let (store, network) = try makeStore()
        var pauses: [Duration] = []
        for (spread, longest) in [(0, 5), (100, 500)] {
            for _ in 0..<12 {
                await clock.rest(of: 2)
                network.post(event(try server.tag().text, spread: spread))
                // Long enough for the pauses to begin anew.
                await clock.run(for: .seconds(700), parts: 2)
                network.endStreams()
                await clock.rest(of: 2)
                #expect(!store.status.isLive)
                let start = clock.now
                await clock.run(for: .seconds(longest), parts: 2)
                pauses.append(start.duration(to: try #require(network.streamEntries.last).time))
            }
        }
        #expect(try #require(pauses.prefix(12).max()) <= .seconds(5))
        #expect(try #require(pauses.suffix(12).max()) > .seconds(50), "all clients lose their streams together")
        #expect(pauses.allSatisfy { $0 >= .zero })
        #expect(Set(pauses).count > 20)
        // A stream that ends after an event is usual.
        #expect(problems.kinds == [])
    }

    /// Answers to the request for a stream that are none, and the kind that is reported.
    struct Failure: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let kind: RemoteStoreError.Kind
        let answer: SimulatedNetwork.Answer
    }

    private static let failures = [
        Failure(testDescription: "503", kind: .refused, answer: SimulatedNetwork.status(503)),
        Failure(testDescription: "429", kind: .refused, answer: SimulatedNetwork.status(429)),
        Failure(testDescription: "no connection", kind: .unreachable) { _, _ in throw ScriptedTransport.Failure() },
        Failure(testDescription: "an end at once", kind: .unreachable) { _, _ in .stream([], thenEnds: true) },
        Failure(testDescription: "comments", kind: .unreachable) { _, _ in .stream([comment], thenEnds: true) },
        Failure(testDescription: "a page", kind: .malformed) { _, _ in
            .body(Array(":<html>\n\n".utf8), [.contentType: "text/html"])
        },
        Failure(testDescription: "no type", kind: .malformed) { _, _ in .body(event("*")) },
        Failure(testDescription: "another type", kind: .malformed) { _, _ in
            .body(event("*"), [.contentType: "text/event-stream-2"])
        },
        Failure(testDescription: "silence", kind: .timedOut, answer: SimulatedNetwork.silence),
        Failure(testDescription: "a head", kind: .timedOut, answer: SimulatedNetwork.headOnly),
        Failure(
            testDescription: "half a line",
            kind: .timedOut,
            answer: SimulatedNetwork.stream(every: .seconds(1)) { _, _ in "x" }
        ),
        Failure(testDescription: "an endless line", kind: .tooLarge) { _, _ in
            .stream(Array(repeating: Array(repeating: UInt8(ascii: "x"), count: 100), count: 100))
        },
        Failure(
            testDescription: "another host",
            kind: .redirected,
            answer: SimulatedNetwork.status(307, [.location: "https://other.test/"])
        ),
    ]

    @Test(arguments: failures)
    func `a stream that fails is reported once, tried ever more seldom, and leaves the values fresh`(
        _ failure: Failure
    ) async throws {
        let isFailing = HostNumber(1)
        let (store, network) = try makeStore { network, request in
            try await (isFailing.value == 1 ? failure.answer : SimulatedNetwork.passOn)(network, request)
        }
        await clock.run(for: .seconds(40_000), parts: 2)
        #expect(problems.kinds == [failure.kind.rawValue])
        #expect(!store.status.isLive && store.status.lastError == nil && store.status.staleSince == nil)
        let found = gaps(network)
        for (index, gap) in found.enumerated() {
            // The time that an answer may take comes before each pause.
            #expect(gap <= .seconds(min(5 << min(index, 10), 600) + 31), "\(found)")
        }
        #expect((60...220).contains(found.count), "\(found.count)")
        isFailing.value = 0
        await clock.run(for: .seconds(700), parts: 2)
        #expect(store.status.isLive && problems.kinds.count == 1)
        isFailing.value = 1
        store.isLive = false
        await clock.rest(of: 1)
        problems.collect { store.isLive = true }
        await clock.run(for: .seconds(700), parts: 2)
        #expect(problems.kinds == [failure.kind.rawValue, failure.kind.rawValue])
    }

    @Test func `a stream that is lost at once after each event is tried ever more seldom`() async throws {
        let (store, network) = try makeStore { network, _ in
            .stream([event(try network.server.tag().text)], thenEnds: true)
        }
        await clock.run(for: .seconds(40_000), parts: 2)
        #expect((60...220).contains(network.streamEntries.count))
        #expect(store.status.lastError == nil && problems.kinds == [])
    }

    @Test func `the pauses begin anew after streams that something ends at regular times`() async throws {
        // A proxy ends all streams after 30 seconds.
        let (store, network) = try makeStore { network, _ in
            let begun = Locked(false)
            let tag = try network.server.tag().text
            return .stream(
                AsyncStream {
                    if !begun.withLock({ begun in (begun, begun = true).0 }) { return event(tag) }
                    await network.clock.passOnConnection(.seconds(29))
                    return nil
                }
            )
        }
        await clock.run(for: .seconds(10_000), parts: 2)
        #expect(gaps(network).allSatisfy { $0 <= .seconds(34) })
        #expect(store.status.lastError == nil)
        var retry = RetryDelay(first: .seconds(5), longest: .seconds(600))
        #expect(retry.isOutlasted(by: .seconds(5)) && !retry.isOutlasted(by: .seconds(4)))
        for _ in 0..<10 { _ = retry.next() }
        #expect(retry.isOutlasted(by: .seconds(20)) && !retry.isOutlasted(by: .seconds(19)))
    }

    @Test func `a store that the server assigns has no stream before it has a group`() async throws {
        let isAnswering = HostNumber(0)
        let network = SimulatedNetwork(
            server,
            clock,
            documents: { network, request in
                if isAnswering.value == 0 { return .status(503) }
                return try await SimulatedNetwork.passOn(network, request)
            },
            isDisturbed: true
        )
        let store = try Problems().collect {
            try makeClient(of: server, over: network, clock: dates, times: clock) {
                ($0.isLive, $0.timeout) = (true, ManualClock.timeout)
                $0.group = .assigned(to: ClientTraits(cohort: "x"))
            }
        }
        await clock.run(for: .seconds(1_000), parts: 1)
        #expect(network.streamEntries.isEmpty)
        isAnswering.value = 1
        clock.advance(by: .seconds(600))
        await clock.rest(of: 2)
        #expect(network.streamEntries.map(\.path) == ["/settings/all/changes"] && store.status.isLive)
    }
}

/// A body of two chunks on a connection that does not notice its end: the second one comes after a gate.
private struct StubbornBody: AsyncSequence, Sendable {
    typealias Element = [UInt8]
    typealias Failure = any Error

    let chunks: [[UInt8]]
    let gate: AsyncStream<Void>
    let end: Recorder<Void>

    struct AsyncIterator: AsyncIteratorProtocol {
        let body: StubbornBody
        var count = 0

        mutating func next() async throws -> [UInt8]? {
            count += 1
            if count == 2 { await Task { [gate = body.gate] in for await _ in gate {} }.value }
            if count > body.chunks.count { body.end.record(()) }
            return count > body.chunks.count ? nil : body.chunks[count - 1]
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: self) }
}
#endif
