#if Remote
import Foundation
import HTTPTypes
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// Stores that follow their server.
@Suite
struct RemoteStoreLiveTests {
    @Test func `a live store follows changes of a publisher, and stops when it is told to`() async throws {
        let (server, times) = (try TestServer(["limit": 1]), ManualClock())
        let transport = ScriptedTransport(to: server.publisher)
        let store = try makeClient(of: server, over: transport, times: times) { $0.isLive = true }
        try await eventually("the store follows") { store.status.isLive && store.snapshot() == ["limit": 1] }
        try server.set(["limit": 2, "title": "a"])
        try await eventually("the batch has arrived", store.snapshot()) { table in
            // Its event spreads the requests over a second.
            times.advance(by: .seconds(1))
            return table == ["limit": 2, "title": "a"]
        }
        let state = try server.message().state.text
        #expect(transport.requests.contains { $0.path?.hasPrefix("/settings/all/\(state)") == true })
        store.isLive = false
        try await eventually("the stream is closed") { !store.status.isLive && server.publisher.streamCount == 0 }
        server.defaults[TestKeys.limit] = 3
        #expect(store.snapshot()["limit"] == 2)
        store.isLive = true
        try await eventually("the change has arrived", store.snapshot()["limit"]) { value in
            times.advance(by: .seconds(1))
            return value == 3
        }
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
#endif
