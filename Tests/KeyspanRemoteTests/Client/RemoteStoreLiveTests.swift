import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// Stores that follow their server.
@Suite
struct RemoteStoreLiveTests {
    @Test func `a live store follows changes, and stops when it is told to`() async throws {
        let server = try TestServer(["limit": 1])
        let transport = ScriptedTransport(to: server.publisher)
        let store = try makeClient(of: server, over: transport) { $0.isLive = true }
        try await eventually { store.snapshot() == ["limit": 1] && store.status.isLive }
        try server.set(["limit": 2, "title": "a"])
        try await eventually { store.snapshot() == ["limit": 2, "title": "a"] }
        #expect(transport.requests.count == 1)
        store.isLive = false
        try await eventually { !store.status.isLive && server.publisher.streamCount == 0 }
        server.defaults[TestKeys.limit] = 3
        #expect(store.snapshot()["limit"] == 2)
        store.isLive = true
        try await eventually { store.snapshot()["limit"] == 3 }
        #expect(transport.requests.last?.header("last-event-id") != nil)
        #expect(transport.requests.allSatisfy { $0.url.path() == "/settings/changes" })
    }

    @Test func `a lost stream goes on where it was`() async throws {
        let server = try TestServer(["limit": 0])
        let faults: [ScriptedTransport.Fault] = [
            .cut(after: 10, throwing: true), .unreachable, .status(503), .cut(after: 900, throwing: false), .drip(1),
        ]
        let transport = ScriptedTransport(to: server.publisher, faults)
        let store = try Problems().collect { try makeClient(of: server, over: transport) { $0.isLive = true } }
        for value in 1...20 {
            server.defaults[TestKeys.limit] = value
            try await eventually { store.snapshot()["limit"] == .integer(PropertyListInteger(value)) }
        }
    }

    @Test func `a stream that says nothing is given up`() async throws {
        let server = try TestServer(["limit": 1])
        let transport = ScriptedTransport(to: server.publisher, [.silence, .none])
        let store = try Problems().collect {
            try makeClient(of: server, over: transport) { options in
                options.isLive = true
                options.connectTimeout = .milliseconds(30)
                options.idleTimeout = .milliseconds(60)
            }
        }
        try await eventually { store.snapshot() == ["limit": 1] }
        // The heartbeat of the server is too slow for this client.
        try await eventually { transport.requests.count >= 4 }
        server.defaults[TestKeys.limit] = 2
        try await eventually { store.snapshot() == ["limit": 2] }
    }

    @Test func `a change of other values makes the store ask for the document`() async throws {
        let (clock, key) = (TestClock(), try SigningKey.generate(id: "a"))
        let server = try TestServer(["limit": 1], key: key, clock: clock)
        let store = try makeClient(of: server)
        try await store.fetch()
        let other = try TestServer(["limit": 7, "title": "x"], key: key, clock: clock)
        var events = EventIterator(try await other.stream(), of: other)
        _ = try await events.next()
        clock.advance(by: 5)
        other.defaults[TestKeys.title] = "y"
        let change = try #require(try await events.next()).event.data
        let outcome = try await store.engine.take(change)
        #expect(store.snapshot() == ["limit": 1])
        guard case .needsDocument = outcome else {
            Issue.record("a change was applied to values that it does not change")
            return
        }
    }

    @Test func `a long chain of changes is replaced by the document`() async throws {
        let folder = try TemporaryFolder()
        let server = try TestServer(["limit": 0])
        let transport = ScriptedTransport(to: server.publisher)
        let store = try makeClient(of: server, over: transport, cache: folder.path("cache")) { $0.isLive = true }
        for value in 1...20 {
            server.defaults[TestKeys.limit] = value
            try await eventually { store.snapshot()["limit"] == .integer(PropertyListInteger(value)) }
        }
        // Each of these streams begins with the document, without a cache between.
        #expect(transport.requests.count { $0.header("last-event-id") == nil } >= 2)
        #expect(transport.requests.allSatisfy { $0.url.path() == "/settings/changes" })
        #expect(store.engine.state.withLock { $0.fetched?.messages.count ?? 0 } <= 8)
        try await store.synchronize()
        let restarted = try makeClient(of: server, over: ScriptedTransport(to: nil), cache: folder.path("cache"))
        #expect(restarted.snapshot() == ["limit": 20])
    }

    @Test func `an automatic store asks again until the server answers`() async throws {
        let server = try TestServer(["limit": 1])
        let transport = ScriptedTransport(to: server.publisher, [.unreachable, .status(500), .flip(at: 250)])
        let store = try Problems().collect { try makeClient(of: server, over: transport) { $0.isAutomatic = true } }
        try await eventually { store.snapshot() == ["limit": 1] }
        #expect(transport.requests.count == 4)
    }

    @Test func `calls at the same time share one request`() async throws {
        let server = try TestServer(["limit": 1])
        let transport = ScriptedTransport(to: server.publisher, [.silence])
        let store = try Problems().collect {
            try makeClient(of: server, over: transport) { $0.connectTimeout = .milliseconds(200) }
        }
        let results = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 { group.addTask { (try? await store.fetch()) == nil } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results == [Bool](repeating: true, count: 8) && transport.requests.count == 1)
        try await store.fetch()
        #expect(store.snapshot() == ["limit": 1])
    }

    @Test func `a released store ends its stream`() async throws {
        let server = try TestServer(["limit": 1])
        do {
            let store = try makeClient(of: server) { $0.isLive = true }
            try await eventually { server.publisher.streamCount == 1 }
            withExtendedLifetime(store) {}
        }
        try await eventually { server.publisher.streamCount == 0 }
    }

    @Test func `versions and failures are activity`() async throws {
        let server = try TestServer(["limit": 1])
        let transport = ScriptedTransport(to: server.publisher)
        let store = try Problems().collect { try makeClient(of: server, over: transport) }
        let count = Counter()
        let observation = store.observeActivity { activity in
            if case .reloaded = activity { count.add() }
        }
        #expect(store.contentsStatus.lastGood == nil)
        try await store.fetch()
        #expect(count.count == 1 && store.contentsStatus.lastGood != nil && store.contentsStatus.staleSince == nil)
        try await store.fetch()
        #expect(count.count == 1)
        observation.cancel()
    }
}
