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
        try await eventually("the store follows", store.snapshot(), is: ["limit": 1])
        try server.set(["limit": 2, "title": "a"])
        try await eventually("the batch has arrived", store.snapshot(), is: ["limit": 2, "title": "a"])
        #expect(transport.requests.count == 1)
        store.isLive = false
        try await eventually("the stream is closed") { !store.status.isLive && server.publisher.streamCount == 0 }
        server.defaults[TestKeys.limit] = 3
        #expect(store.snapshot()["limit"] == 2)
        store.isLive = true
        try await eventually("the change has arrived", store.snapshot()["limit"], is: 3)
        #expect(transport.requests.last?.header("last-event-id") != nil)
        #expect(transport.requests.allSatisfy { $0.url.path() == "/settings/changes" })
    }

    @Test func `a stream that says nothing is given up`() async throws {
        let server = try TestServer(["limit": 1])
        let clock = ManualClock()
        let transport = ScriptedTransport(to: server.publisher, [.silence], clock: clock)
        let store = try Problems().collect {
            try makeClient(of: server, over: transport, connectionClock: clock) { $0.isLive = true }
        }
        try await eventually("the second stream has brought the document", store.snapshot(), is: ["limit": 1])
        // No heartbeat comes in this time.
        try await eventually("quiet streams have been given up", transport.requests.count) { count in
            clock.advance(by: .seconds(3_600))
            return count >= 4
        }
        server.defaults[TestKeys.limit] = 2
        try await eventually("the store follows", store.snapshot(), is: ["limit": 2])
    }

    @Test func `a long chain of changes is replaced by the document`() async throws {
        let folder = try TemporaryFolder()
        let server = try TestServer(["limit": 0])
        let transport = ScriptedTransport(to: server.publisher)
        let store = try makeClient(of: server, over: transport, cache: folder.path("cache")) { $0.isLive = true }
        for value in 1...20 {
            server.defaults[TestKeys.limit] = value
            try await eventually("the change has arrived", store.snapshot()["limit"], is: .number(value))
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
        try await eventually("the server has answered", store.snapshot(), is: ["limit": 1])
        #expect(transport.requests.count == 4)
    }

    @Test func `calls at the same time share one request`() async throws {
        let server = try TestServer(["limit": 1])
        let clock = ManualClock()
        let transport = ScriptedTransport(to: server.publisher, [.silence])
        let store = try Problems().collect { try makeClient(of: server, over: transport, connectionClock: clock) }
        let requests = (0..<8).map { _ in store.engine.request(isFresh: true) }
        try await eventually("the time for the answer is measured", clock.waitingCount, is: 1)
        clock.advance(by: .seconds(3_600))
        for request in requests { await #expect(throws: RemoteStoreError.self) { try await request.value.get() } }
        #expect(transport.requests.count == 1)
        try await store.fetch()
        #expect(store.snapshot() == ["limit": 1])
    }

    @Test func `a released store ends its stream`() async throws {
        let server = try TestServer(["limit": 1])
        do {
            let store = try makeClient(of: server) { $0.isLive = true }
            try await eventually("the store follows", server.publisher.streamCount, is: 1)
            withExtendedLifetime(store) {}
        }
        try await eventually("the stream is closed", server.publisher.streamCount, is: 0)
    }

    @Test func `versions and failures are activity`() async throws {
        let server = try TestServer(["limit": 1])
        let transport = ScriptedTransport(to: server.publisher)
        let store = try Problems().collect { try makeClient(of: server, over: transport) }
        let count = Recorder<Void>()
        let observation = store.observeActivity { activity in
            if case .reloaded = activity { count.record(()) }
        }
        #expect(store.contentsStatus.lastGood == nil)
        try await store.fetch()
        #expect(count.count == 1 && store.contentsStatus.lastGood != nil && store.contentsStatus.staleSince == nil)
        try await store.fetch()
        #expect(count.count == 1)
        observation.cancel()
    }
}
