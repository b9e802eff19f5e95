@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// Streams of changes.
@Suite(.bounded)
struct EventStreamTests {
    private static let clients = TestLevel.current.pick(1_000, thorough: 10_000)

    private func server(
        _ values: PropertyListTable = ["limit": 1],
        _ change: (inout SettingsPublisherOptions) -> Void = { _ in },
        layers: @escaping @Sendable (RemoteClient) -> [any PropertyListStore] = { _ in [] }
    ) throws -> TestServer {
        let options = SettingsPublisherOptions {
            $0.heartbeat = .seconds(3_600)
            change(&$0)
        }
        return try TestServer(values, options: options, layers: layers)
    }

    @Test func `a stream begins with the document and goes on with changes`() async throws {
        let server = try server()
        var events = EventIterator(try await server.stream(), of: server)
        let first = try #require(try await events.next())
        #expect(first.event.type == "document" && first.message.values == ["limit": 1])
        #expect(first.event.lastID == "\(first.message.revision).\(first.message.state.text)")
        server.defaults[TestKeys.title] = "a"
        let second = try #require(try await events.next())
        #expect(second.event.type == "change" && second.message.values == ["title": "a"])
        #expect(second.message.kind == .change(base: first.message.state, removed: []))
        server.defaults.reset(TestKeys.limit)
        let third = try #require(try await events.next())
        #expect(third.message.kind == .change(base: second.message.state, removed: ["limit"]))
        #expect(third.message.values.isEmpty && third.message.revision > second.message.revision)
    }

    @Test func `a batch is one event, and a change of other keys is none`() async throws {
        let server = try server()
        var events = EventIterator(try await server.stream(), of: server)
        _ = try await events.next()
        try server.set(["internal": "x"])
        try server.set(["limit": 2, "title": "b", "internal": "y"])
        try server.base.apply(PropertyListBatch(.set(3, key: "limit")))
        #expect(try await events.next()?.message.values == ["limit": 2, "title": "b"])
        #expect(try await events.next()?.message.values == ["limit": 3])
    }

    @Test func `a second task that waits for the same stream receives its end`() async throws {
        let server = try server()
        let stream = try await server.stream()
        var (first, second) = (EventIterator(stream, of: server), stream.makeAsyncIterator())
        _ = try await first.next()
        let event = Task { [first] in
            var events = first
            return try await events.next()?.message.values
        }
        try await eventually("the first task waits") { server.hasWaitingStream }
        #expect(await second.next() == nil)
        try server.set(["limit": 2])
        #expect(try await event.value == ["limit": 2])
    }

    @Test func `a client that comes back receives what it has missed`() async throws {
        let server = try server()
        let messages = try await withStream(of: server) { events in
            var ids: [String] = []
            for value in 2...5 {
                ids.append(try #require(try await events.next()).event.lastID)
                server.defaults[TestKeys.limit] = value
            }
            return ids
        }
        for (index, id) in messages.enumerated() {
            var events = EventIterator(try await server.stream(after: id), of: server)
            for value in (index + 2)...5 {
                let found = try #require(try await events.next())
                #expect(
                    found.event.type == "change"
                        && found.message.values == ["limit": .number(value)]
                )
            }
        }
        var events = EventIterator(try await server.stream("/settings/changes?after=\(messages[3])"), of: server)
        #expect(try await events.next()?.event.type == "change")
    }

    private func withStream<Result>(
        of server: TestServer,
        _ body: (inout EventIterator) async throws -> Result
    ) async throws -> Result {
        var events = EventIterator(try await server.stream(), of: server)
        return try await body(&events)
    }

    @Test func `the document is sent if too many changes were missed`() async throws {
        let server = try server { $0.maximumChanges = 3 }
        let position = try await withStream(of: server) { try #require(try await $0.next()).event.lastID }
        for value in 2...5 { server.defaults[TestKeys.limit] = value }
        var events = EventIterator(try await server.stream(after: position), of: server)
        let found = try #require(try await events.next())
        #expect(found.event.type == "document" && found.message.values == ["limit": 5])
    }

    @Test func `a client that is at the present state receives a comment first`() async throws {
        let server = try server()
        let position = try await withStream(of: server) { try #require(try await $0.next()).event.lastID }
        var events = EventIterator(try await server.stream(after: position), of: server)
        #expect(await events.text() == ":\n\n")
        server.defaults[TestKeys.limit] = 2
        #expect(try await events.next()?.message.values == ["limit": 2])
    }

    @Test func `a slow client takes no memory and receives what it has missed`() async throws {
        let server = try server { $0.maximumChanges = 8 }
        var events = EventIterator(try await server.stream(), of: server)
        #expect(try await events.next()?.message.values == ["limit": 1])
        for value in 2...4 { server.defaults[TestKeys.limit] = value }
        for value in 2...4 {
            #expect(try await events.next()?.message.values == ["limit": .number(value)])
        }
        for value in 5...500 { server.defaults[TestKeys.limit] = value }
        #expect(server.publisher.core.state.withLock { $0.variants.values.map(\.changes.count) } == [8])
        let found = try #require(try await events.next())
        #expect(found.event.type == "document" && found.message.values == ["limit": 500])
    }

    @Test func `a client whose variant changes receives the document of the new one`() async throws {
        let isOn = Locked(false)
        let overlay = InMemoryStore(["title": "new"])
        let server = try server(layers: { client in
            isOn.withLock(\.self) && client.isIn(50, of: "title") ? [overlay] : []
        })
        let inside = try #require((0..<1_000).first { RemoteClient(bucket: $0).isIn(50, of: "title") })
        let outside = try #require((0..<1_000).first { !RemoteClient(bucket: $0).isIn(50, of: "title") })
        var first = EventIterator(try await server.stream("/settings/changes?bucket=\(inside)"), of: server)
        var second = EventIterator(try await server.stream("/settings/changes?bucket=\(outside)"), of: server)
        let before = try #require(try await first.next())
        _ = try await second.next()
        isOn.withLock { $0 = true }
        server.publisher.refreshLayers()
        let moved = try #require(try await first.next())
        #expect(moved.event.type == "document" && moved.message.values == ["limit": 1, "title": "new"])
        #expect(moved.message.revision >= before.message.revision)
        try overlay.apply(PropertyListBatch(.set("newer", key: "title")))
        #expect(try await first.next()?.message.values == ["title": "newer"])
        server.defaults[TestKeys.limit] = 2
        #expect(try await first.next()?.message.values == ["limit": 2])
        #expect(try await second.next()?.message.values == ["limit": 2])
        isOn.withLock { $0 = false }
        server.defaults[TestKeys.limit] = 3
        let back = try #require(try await first.next())
        #expect(back.message.values["limit"] == 3)
        if back.event.type == "change" {
            #expect(try await first.next()?.message.values == ["limit": 3])
        } else {
            #expect(back.message.values == ["limit": 3])
        }
    }

    @Test func `all waiting streams have a comment with each heartbeat`() async throws {
        let server = try server { $0.heartbeat = .milliseconds(10) }
        var events = EventIterator(try await server.stream(), of: server)
        _ = try await events.next()
        for _ in 0..<3 { #expect(await events.text() == ":\n\n") }
        server.defaults[TestKeys.limit] = 2
        #expect(try await events.next()?.message.values == ["limit": 2])
    }

    private func readTwo(
        of stream: RemoteEventStream,
        _ server: TestServer,
        between: @Sendable () -> Void
    ) async throws {
        var events = EventIterator(stream, of: server)
        let first = try await events.next()
        #expect(first?.message.values == ["limit": 1])
        between()
        let second = try await events.next()
        #expect(second?.message.values == ["limit": 2])
    }

    @Test func `many clients share the bytes of an event`() async throws {
        let server = try server()
        let received = Recorder<Void>()
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<Self.clients {
            let stream = try await server.stream("/settings/changes?bucket=\(number % 1_000)")
            tasks.append(Task { try await readTwo(of: stream, server) { received.record(()) } })
        }
        try await eventually("each client has the document", received.count, is: Self.clients)
        #expect(server.publisher.streamCount == Self.clients)
        server.defaults[TestKeys.limit] = 2
        for task in tasks { try await task.value }
        tasks = []
        try await eventually("all streams are gone", server.publisher.streamCount, is: 0)
        #expect(server.publisher.core.state.withLock { $0.groups.isEmpty && $0.heartbeat == nil })
    }

    @Test func `a canceled and a released stream give their places free`() async throws {
        let server = try server { $0.maximumStreams = 2 }
        let stream = try await server.stream()
        let task = Task {
            var events = EventIterator(stream, of: server)
            _ = try await events.next()
            return await events.text()
        }
        do {
            let released = try await server.stream()
            #expect(server.publisher.streamCount == 2)
            #expect(await server.get("/settings/changes").status == 503)
            withExtendedLifetime(released) {}
        }
        try await eventually("the released stream is gone", server.publisher.streamCount, is: 1)
        try await eventually("the stream waits") { server.hasWaitingStream }
        task.cancel()
        let last = try await task.value
        #expect(last == nil || last == ":\n\n")
        #expect(server.publisher.streamCount == 0)
    }

    @Test func `streams end when the publisher is closed or released`() async throws {
        for isReleased in [false, true] {
            var publisher: SettingsPublisher? = try SettingsPublisher(
                TestKeys.all,
                in: InMemoryStore(),
                name: "a",
                signingKey: .generate(id: "a"),
                options: .init { $0.heartbeat = .seconds(3_600) }
            )
            let response = await publisher?.respond(to: RemoteRequest(method: "GET", target: "/settings/changes"))
            guard case .stream(let stream)? = response?.body else { return }
            let count = Task { await stream.reduce(0) { count, _ in count + 1 } }
            try await eventually("the stream waits") { publisher?.hasWaitingStream == true }
            if isReleased { publisher = nil } else { publisher?.close() }
            #expect(await count.value == 1)
        }
    }

    @Test func `a stream whose client moves away and back has the values of an evicted variant`() async throws {
        let overlays = [InMemoryStore(), InMemoryStore(), InMemoryStore(), InMemoryStore()]
        for (index, overlay) in overlays.enumerated() {
            try overlay.apply(PropertyListBatch(setting: ["limit": .number(index)]))
        }
        let group = Locked(0)
        let server = try server([:]) {
            $0.maximumVariants = 1
        } layers: { client in
            [overlays[client.cohort == "moving" ? group.withLock(\.self) : client.cohort == "c" ? 2 : 3]]
        }
        var events = EventIterator(try await server.stream("/settings/changes?cohort=moving"), of: server)
        #expect(try await events.next()?.message.values == ["limit": 0])
        group.withLock { $0 = 1 }
        server.publisher.refreshLayers()
        for cohort in ["c", "d", "c", "d"] { _ = try await server.document("?cohort=\(cohort)") }
        try overlays[0].apply(PropertyListBatch(setting: ["limit": 100]))
        group.withLock { $0 = 0 }
        server.publisher.refreshLayers()
        server.publisher.core.state.withLock { state in
            for number in state.streams.keys { state.streams[number]?.isHeartbeatDue = true }
        }
        let text = await events.text() ?? ""
        #expect(text.contains("\"limit\": 100"), "\(text.debugDescription)")
    }
}
