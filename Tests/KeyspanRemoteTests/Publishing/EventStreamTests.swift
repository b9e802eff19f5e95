import Foundation
import HTTPTypes
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// Streams of events, each of which has the tag of the present document.
@Suite(.bounded)
struct EventStreamTests {
    private func server(
        _ values: PropertyListTable = ["limit": 1],
        clock: TestClock = TestClock(),
        groups: [String: [any PropertyListStore]] = [:],
        heartbeat: Duration = .seconds(3_600)
    ) throws -> TestServer {
        try TestServer(values, clock: clock, groups: groups, options: .init { $0.heartbeat = heartbeat })
    }

    @Test func `a stream is for no cache, and is not collected by nginx`() throws {
        let response = try server().get("/settings/all/changes")
        #expect(response.status == 200 && response[.contentType] == "text/event-stream")
        #expect(response[.cacheControl] == "no-store" && response[.eTag] == nil)
        let name = try #require(HTTPField.Name("X-Accel-Buffering"))
        #expect(response[name] == "no")
    }

    @Test func `the bytes of an event are those of the format`() async throws {
        let server = try server()
        var bytes = try server.stream().makeAsyncIterator()
        let tag = try server.tag().text
        #expect(await bytes.next() == Array("event: changed\ndata: \(tag) 0.0\n\n".utf8))
        server.publisher.refreshGroups()
        #expect(await bytes.next() == Array("event: changed\ndata: * 0.0\n\n".utf8))
    }

    @Test func `a stream begins with the tag of the document, and has that of each change`() async throws {
        let server = try server()
        var events = try server.events()
        var tags = [try #require(try await events.next()).tag]
        #expect(tags == [try server.tag().text])
        for value in 2...4 {
            server.defaults[TestKeys.limit] = value
            tags.append(try #require(try await events.next()).tag)
            #expect(tags.last == (try server.tag().text))
        }
        server.defaults.reset(TestKeys.limit)
        tags.append(try #require(try await events.next()).tag)
        #expect(Set(tags).count == 5)
        #expect(server.get("/settings/all/\(try #require(tags.last))").status == 200)
    }

    @Test func `a batch is one event, and a change of other keys is none`() async throws {
        let server = try server()
        var events = try server.events()
        _ = try await events.next()
        try server.set(["internal": "x"])
        try server.set(["limit": 2, "title": "b", "internal": "y"])
        let tag = try server.tag().text
        #expect(try await events.next()?.tag == tag)
        try server.set(["internal": "z"])
        try server.base.apply(PropertyListBatch(.set(3, key: "limit")))
        let later = try server.tag().text
        #expect(try await events.next()?.tag == later)
    }

    @Test func `a change of one group gives the others an equivalent tag`() async throws {
        let overlay = InMemoryStore(["title": "a"])
        let server = try server(groups: ["x": [overlay]])
        var (base, group) = (try server.events(), try server.events("x"))
        let before = (try #require(try await base.next()).tag, try #require(try await group.next()).tag)
        try overlay.apply(PropertyListBatch(.set("b", key: "title")))
        let after = (try #require(try await base.next()).tag, try #require(try await group.next()).tag)
        let (old, new) = (try #require(DocumentTag(before.0[...])), try #require(DocumentTag(after.0[...])))
        #expect(old.isEquivalent(to: new) && old.text != new.text)
        #expect(after.1 == (try server.tag("x").text) && after.1 != before.1)
        server.defaults[TestKeys.limit] = 2
        let last = (try #require(try await base.next()).tag, try #require(try await group.next()).tag)
        #expect(last == (try server.tag().text, try server.tag("x").text))
    }

    @Test func `a slow reader finds one event, the last one`() async throws {
        let server = try server()
        var events = try server.events()
        for value in 2...500 { server.defaults[TestKeys.limit] = value }
        let tag = try server.tag().text
        #expect(try await events.next()?.tag == tag)
        server.defaults[TestKeys.limit] = 1
        let later = try server.tag().text
        #expect(try await events.next()?.tag == later)
    }

    @Test func `the word that groups may be others outlives later events until it is read`() async throws {
        let server = try server(heartbeat: .milliseconds(10))
        var events = try server.events()
        server.publisher.refreshGroups()
        for value in 2...5 { server.defaults[TestKeys.limit] = value }
        server.publisher.refreshGroups()
        server.defaults[TestKeys.limit] = 6
        #expect(try await events.next()?.tag == "*")
        let tag = try server.tag().text
        #expect(try await events.nextTag(after: "*") == tag)
    }

    @Test func `all streams of all groups learn that groups may be others`() async throws {
        let server = try server(groups: ["x": []])
        var streams = [try server.events(), try server.events(), try server.events("x")]
        for index in streams.indices { _ = try await streams[index].next() }
        server.publisher.refreshGroups()
        for index in streams.indices { #expect(try await streams[index].next()?.tag == "*") }
    }

    // MARK: - Heartbeats

    @Test func `the last event is repeated with each heartbeat`() async throws {
        let server = try server(heartbeat: .milliseconds(10))
        var (first, second) = (try server.events(), try server.events())
        let tag = try server.tag().text
        for _ in 0..<4 {
            #expect(try await first.next()?.tag == tag)
            #expect(try await second.next()?.tag == tag)
        }
        server.defaults[TestKeys.limit] = 2
        let later = try server.tag().text
        #expect(try await first.nextTag(after: tag) == later)
    }

    @Test func `a heartbeat has the tag of the document that is signed anew`() async throws {
        let clock = TestClock()
        let server = try server(clock: clock, heartbeat: .milliseconds(10))
        var events = try server.events()
        let old = try #require(try await events.next()).tag
        clock.advance(by: 2 * 86_400)
        let tag = try server.tag().text
        #expect(try await events.nextTag(after: old) == tag && tag != old)
    }

    @Test func `a heartbeat brings the values that a host without a number has held up`() async throws {
        let (number, clock) = (HostNumber(1), TestClock())
        var options = number.options
        options.heartbeat = .milliseconds(10)
        let server = try TestServer(["limit": 1], clock: clock, options: options)
        var events = try server.events()
        let old = try #require(try await events.next()).tag
        number.value = -1
        Problems().collect { server.defaults[TestKeys.limit] = 2 }
        number.value = 2
        let tag = try #require(try await events.nextTag(after: old))
        #expect(tag == (try server.tag().text))
        #expect(try server.message().values == ["limit": 2])
    }

    @Test func `the heartbeat ends with the last stream, and starts with the next one`() async throws {
        let server = try server(heartbeat: .milliseconds(10))
        func hasHeartbeat() -> Bool { server.publisher.core.state.withLock { $0.heartbeat != nil } }
        #expect(!hasHeartbeat())
        for _ in 0..<2 {
            do {
                let stream = try server.stream()
                #expect(hasHeartbeat())
                withExtendedLifetime(stream) {}
            }
            try await eventually("the heartbeat has ended") { !hasHeartbeat() }
        }
    }

    // MARK: - Spread

    @Test func `the seconds to spread are a five-thousandth of the streams`() async throws {
        let server = try server(groups: ["x": []])
        var first = try server.events()
        #expect(try await first.next()?.spread == 0)
        var streams: [AsyncStream<[UInt8]>] = []
        for (count, spread) in [(4, 0), (5, 0.001), (2_500, 0.5), (5_000, 1), (5_001, 1), (5_005, 1.001), (10_000, 2)] {
            // The streams of all groups count: their clients share the server.
            while server.publisher.streamCount < count {
                streams.append(try server.stream(count % 2 == 0 ? "x" : "all"))
            }
            server.defaults[TestKeys.limit] = count
            #expect(try await first.next()?.spread == spread, "\(count) streams")
        }
        // Each client makes two requests then.
        server.publisher.refreshGroups()
        #expect(try await first.next()?.spread == 4)
        streams = []
        try await eventually("the other streams are gone", server.publisher.streamCount, is: 1)
        server.defaults[TestKeys.limit] = 1
        #expect(try await first.next()?.spread == 0)
    }

    // MARK: - Threads

    /// - Parameter call: The look at the clock at which the store changes: before or after an event has its values.
    @Test(arguments: [false, true], 1...6)
    func `an event that is made during a change is not the last one`(_ isFirst: Bool, _ call: Int) async throws {
        let base = InMemoryStore(["limit": 0])
        let rest = Locked<Int?>(nil)
        let now: @Sendable () -> Date = {
            let isNow = rest.withLock { rest in
                rest = rest.map { $0 - 1 }
                return rest == 0
            }
            if isNow { try? base.apply(PropertyListBatch(.set(1, key: "limit"))) }
            return Date(timeIntervalSince1970: 1_800_000_000)
        }
        let key = try SigningKey.generate(id: "a")
        let signer = DocumentSigner(name: TestServer.name, key: key, validity: .seconds(86_400), now: now)
        let options = SettingsPublisherOptions { $0.heartbeat = .seconds(3_600) }
        let publisher = try SettingsPublisher(TestKeys.all, base, signer, [:], options) { _ in "all" }
        if isFirst { rest.withLock { $0 = call } }
        let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/settings/all/changes")
        guard case .stream(let stream) = publisher.respond(to: request).body else {
            Issue.record("there is no stream")
            return
        }
        if !isFirst {
            rest.withLock { $0 = call }
            publisher.core.sendEvents()
        }
        rest.withLock { $0 = nil }
        var events = EventIterator(stream)
        let state = try #require(publisher.core.present(0)).state
        #expect(try await events.next()?.tag.hasPrefix(state.text) == true)
    }

    @Test func `every reader receives the last tag of writers on many threads`() async throws {
        let server = try server(heartbeat: .milliseconds(10))
        let streams = try (0..<50).map { _ in try server.stream() }
        let done = Recorder<Void>()
        let readers = streams.map { stream in
            Task {
                var events = EventIterator(stream)
                while let (tag, _) = try await events.next() {
                    if done.count > 0, tag == (try server.tag().text) { break }
                }
            }
        }
        try await withThrowingTaskGroup { group in
            for writer in 0..<4 {
                group.addTask {
                    try await TestThread.run {
                        let name = writer < 2 ? "limit" : "port"
                        for value in 0..<100 { try server.set([name: .number(1 + writer * 100 + value)]) }
                    }
                }
            }
            try await group.waitForAll()
        }
        done.record(())
        // The heartbeat repeats the last tag.
        for reader in readers { try await reader.value }
    }
}
