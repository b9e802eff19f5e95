import Foundation
import HTTPTypes
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// The places of streams: their limits, and how they become free.
@Suite(.bounded)
struct StreamLimitTests {
    private static let clients = TestLevel.current.pick(1_000, thorough: 10_000)

    private func server(
        _ maximum: Int = 20_000,
        ofPeer: Int = 1_000,
        clock: TestClock = TestClock()
    ) throws -> TestServer {
        let options = SettingsPublisherOptions {
            ($0.maximumStreams, $0.maximumStreamsPerPeer, $0.heartbeat) = (maximum, ofPeer, .seconds(3_600))
        }
        return try TestServer(["limit": 1], clock: clock, groups: ["x": []], options: options)
    }

    @Test func `a peer has a limit over all groups, and is asked to come later`() throws {
        let (server, problems) = (try server(ofPeer: 2), Problems())
        var streams = [try server.stream("all", from: "10.0.0.1"), try server.stream("x", from: "10.0.0.1")]
        for group in ["all", "x"] {
            let response = problems.collect { server.get("/settings/\(group)/changes", from: "10.0.0.1") }
            #expect(response.status == 429 && response[.retryAfter] == "60" && response[.cacheControl] == "no-store")
        }
        #expect(problems.kinds == ["streamsRefused"] && problems.values.first?.description.contains("10.0.0.1") == true)
        #expect(server.publisher.streamCount == 2 && server.publisher.refusedStreamCount == 2)
        // Documents are there all the same, and so are streams of other peers, and of hosts that name none.
        #expect(server.get("/settings/all", from: "10.0.0.1").status == 200)
        for peer in ["10.0.0.2", nil, nil, nil] { streams.append(try server.stream(from: peer)) }
        #expect(server.publisher.streamCount == 6)
    }

    @Test func `all peers have a limit together`() throws {
        let (server, problems) = (try server(3, ofPeer: 2), Problems())
        let streams = try ["a", "b", nil].map { try server.stream(from: $0) }
        for peer in ["a", "c", nil] {
            let response = problems.collect { server.get("/settings/all/changes", from: peer) }
            #expect(response.status == 503 && response[.retryAfter] == "60")
        }
        #expect(problems.kinds == ["streamsRefused"] && server.publisher.refusedStreamCount == 3)
        withExtendedLifetime(streams) {}
    }

    @Test(arguments: [0, -1])
    func `a limit of none permits none`(_ limit: Int) throws {
        try Problems().collect {
            #expect(try server(limit).get("/settings/all/changes").status == 503)
            let ofPeer = try server(ofPeer: limit)
            #expect(ofPeer.get("/settings/all/changes", from: "a").status == 429)
            #expect(ofPeer.get("/settings/all/changes").status == 200)
        }
    }

    @Test func `refused streams are reported once an hour, with their number`() throws {
        let (clock, problems) = (TestClock(), Problems())
        let server = try server(0, clock: clock)
        func ask() { #expect(problems.collect { server.get("/settings/all/changes") }.status == 503) }
        for _ in 0..<5 { ask() }
        #expect(problems.kinds.count == 1)
        clock.advance(by: 3_600)
        ask()
        #expect(problems.kinds.count == 2 && problems.last?.description.contains(" 6 requests") == true)
        // A clock that was set back does not silence the publisher.
        clock.advance(by: -7_200)
        ask()
        #expect(problems.kinds.count == 3)
    }

    @Test func `a released stream gives its place free`() async throws {
        let server = try server(ofPeer: 2)
        let kept = try server.stream(from: "a")
        do {
            let released = try server.stream(from: "a")
            #expect(Problems().collect { server.get("/settings/all/changes", from: "a") }.status == 429)
            withExtendedLifetime(released) {}
        }
        try await eventually("the place is free", server.publisher.streamCount, is: 1)
        let next = try server.stream(from: "a")
        #expect(Problems().collect { server.get("/settings/all/changes", from: "a") }.status == 429)
        withExtendedLifetime((kept, next)) {}
    }

    @Test func `a canceled stream gives its place free`() async throws {
        let server = try server(1)
        let stream = try server.stream(from: "a")
        let isReading = Locked(false)
        let task = Task {
            for await _ in stream { isReading.withLock { $0 = true } }
        }
        try await eventually("the stream is read") { isReading.withLock(\.self) }
        task.cancel()
        await task.value
        try await eventually("the place is free", server.publisher.streamCount, is: 0)
        let next = try server.stream(from: "a")
        withExtendedLifetime(next) {}
    }

    @Test func `no peer is remembered whose streams have ended`() async throws {
        let server = try server()
        func peers() -> Int {
            server.publisher.core.state.withLock {
                (Mirror(reflecting: $0).descendant("peers") as? TextDictionary<Int>)?.count ?? -1
            }
        }
        var streams = try (0..<100).map { try server.stream(from: "peer \($0 % 50)") }
        #expect(peers() == 50)
        streams.removeFirst(50)
        try await eventually("half of the streams are gone", server.publisher.streamCount, is: 50)
        #expect(peers() == 50)
        streams = []
        try await eventually("all streams are gone", server.publisher.streamCount, is: 0)
        #expect(peers() == 0)
    }

    @Test(arguments: [false, true])
    func `streams end when the publisher is closed or released`(_ isReleased: Bool) async throws {
        var server: TestServer? = try server()
        let streams = try (0..<3).map { try #require(server).stream($0 == 0 ? "x" : "all", from: "a") }
        let counts = streams.map { stream in Task { await stream.reduce(0) { count, _ in count + 1 } } }
        if isReleased { server = nil } else { server?.publisher.close() }
        for count in counts { #expect(await count.value == 1) }
        #expect(server?.publisher.streamCount ?? 0 == 0)
        #expect(server?.get("/settings/all/changes", from: "a").status ?? 503 == 503)
    }

    @Test func `many clients receive a change, and leave nothing behind`() async throws {
        let server = try server()
        let received = Recorder<Void>()
        var tasks: [Task<String?, any Error>] = []
        for number in 0..<Self.clients {
            let stream = try server.stream(number.isMultiple(of: 2) ? "all" : "x", from: "peer \(number % 100)")
            tasks.append(
                Task {
                    var events = EventIterator(stream)
                    let first = try #require(try await events.next()).tag
                    received.record(())
                    return try await events.nextTag(after: first)
                }
            )
        }
        try await eventually("each client has the first event", received.count, is: Self.clients)
        #expect(server.publisher.streamCount == Self.clients)
        server.defaults[TestKeys.limit] = 2
        let tags = [try server.tag().text, try server.tag("x").text]
        for (number, task) in tasks.enumerated() { #expect(try await task.value == tags[number % 2]) }
        tasks = []
        try await eventually("all streams are gone", server.publisher.streamCount, is: 0)
        #expect(server.publisher.core.state.withLock { $0.heartbeat == nil })
    }
}
