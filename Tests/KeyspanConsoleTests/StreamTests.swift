import KeyspanConsole
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import Testing

extension Defaults.Keys {
    fileprivate static let title = Key<String>("title", default: "Notes")
    fileprivate static let count = Key<Int>("count", default: 10)
}

/// The events that a page follows.
@Suite(.bounded)
struct StreamTests {
    private let store = InMemoryStore()

    private var defaults: Defaults { Defaults(store) }

    private func console(
        as access: SettingsConsole.Access = .editing(as: "ann"),
        _ change: (inout SettingsConsole.Options) -> Void = { _ in }
    ) -> TestConsole {
        TestConsole([Defaults.Keys.title, Defaults.Keys.count], in: store, as: access, change)
    }

    /// One event, as far as a test looks at it.
    private struct Event {
        let id: String
        let keys: [String]
        let content: PropertyListDictionary

        init?(_ bytes: [UInt8]?) throws {
            guard let bytes else { return nil }
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            guard let id = lines.first(where: { $0.hasPrefix("id: ") }),
                let data = lines.first(where: { $0.hasPrefix("data: ") })
            else { return nil }
            self.id = String(id.dropFirst(4))
            content = try #require(JSONText.parse(Array(data.dropFirst(6).utf8)).dictionaryValue)
            guard case .array(let settings)? = content["settings"] else { return nil }
            keys = settings.compactMap { $0.dictionaryValue?["key"]?.stringValue }
        }
    }

    private func stream(
        _ console: TestConsole,
        after version: String,
        _ headers: [(name: String, value: String)] = []
    ) async throws -> SettingsConsole.EventStream.Iterator {
        let response = await console.respond("GET", "/events?after=\(version)", headers)
        #expect(response.header("Content-Type") == "text/event-stream; charset=utf-8")
        guard case .events(let stream) = response.body else { throw CancellationError() }
        return stream.makeAsyncIterator()
    }

    /// Reads a stream until the event of a key; other events are of all that is there or of keys that a test has changed before.
    private func awaitEvent(of key: String, _ stream: inout SettingsConsole.EventStream.Iterator) async throws {
        while let bytes = await stream.next() { if try Event(bytes)?.keys == [key] { return } }
        Issue.record("the stream ended without an event of \(key)")
    }

    @Test func `changes that a person may not see do not keep the comments away`() async throws {
        let console = console(as: .editing(as: "ann", readable: { $0.name == "title" })) {
            $0.heartbeat = .milliseconds(20)
        }
        var stream = try await stream(console, after: try await console.version())
        _ = await stream.next()
        let writer = Task { [defaults] in
            while !Task.isCancelled {
                defaults[.count] += 1
                await Task.yield()
            }
        }
        for _ in 0..<3 { #expect(await stream.next() == Array(":\n\n".utf8)) }
        writer.cancel()
    }

    @Test func `one batch is one event, and an event has only what the page lacks`() async throws {
        let console = console()
        let version = try await console.version()
        var stream = try await stream(console, after: version)
        let first = try #require(try Event(await stream.next()))
        #expect(first.keys.isEmpty && first.content["token"] != nil && first.content["isWhole"] == false)
        defaults.update {
            $0[.title] = "x"
            $0[.count] = 7
        }
        let second = try #require(try Event(await stream.next()))
        #expect(second.keys == ["title", "count"] && second.id != version && second.content["token"] == nil)
        defaults[.count] = 8
        let third = try #require(try Event(await stream.next()))
        #expect(third.keys == ["count"] && third.content["settings"]?.description.contains("8") == true)
        guard case .array(let history)? = third.content["history"] else { return #expect(Bool(false)) }
        #expect(history.count == 1)
        // The browser resumes by the last id, whatever the page's first one was.
        defaults[.title] = "y"
        var resumed = try await self.stream(console, after: version, [("Last-Event-ID", third.id)])
        #expect(try Event(await resumed.next())?.keys == ["title"])
    }

    @Test(arguments: ["0.0", "", "x", "ffffffffffffffff.7"])
    func `a page of another run gets everything`(_ version: String) async throws {
        defaults[.title] = "x"
        var stream = try await stream(console(), after: version)
        let event = try #require(try Event(await stream.next()))
        #expect(event.keys == ["title", "count"] && event.content["isWhole"] == true)
    }

    @Test func `a slow page gets the last state, not each one`() async throws {
        var stream = try await stream(console(), after: "0.0")
        _ = await stream.next()
        for number in 0..<100 { defaults[.count] = number }
        let event = try #require(try Event(await stream.next()))
        #expect(event.keys == ["count"] && event.content["settings"]?.description.contains("99") == true)
        defaults[.title] = "end"
        try await awaitEvent(of: "title", &stream)
    }

    @Test func `a quiet stream has a pulse`() async throws {
        let console = console { $0.heartbeat = .milliseconds(5) }
        var stream = try await stream(console, after: "0.0")
        _ = await stream.next()
        for _ in 0..<3 { #expect(await stream.next() == Array(":\n\n".utf8)) }
    }

    @Test func `a stream ends in time`() async throws {
        let console = console {
            $0.heartbeat = .milliseconds(5)
            $0.streamDuration = .milliseconds(50)
        }
        var stream = try await stream(console, after: "0.0")
        while await stream.next() != nil {}
    }

    @Test func `a change that a person may not see wakes nothing`() async throws {
        let console = console(as: .reading(as: "ann", readable: { $0.name == "title" })) {
            $0.heartbeat = .milliseconds(20)
        }
        var stream = try await stream(console, after: "0.0")
        _ = await stream.next()
        defaults[.count] = 7
        #expect(await stream.next() == Array(":\n\n".utf8))
        defaults[.title] = "x"
        try await awaitEvent(of: "title", &stream)
    }

    @Test func `the number of streams is bounded, and ends with them`() async throws {
        let console = console { $0.maximumStreamCount = 2 }
        do {
            let first = try await stream(console, after: "0.0")
            let second = try await stream(console, after: "0.0")
            let third = await console.respond("/events")
            #expect(third.status == 503 && third.header("Retry-After") == "10")
            withExtendedLifetime((first, second)) {}
        }
        _ = try await stream(console, after: "0.0")
    }

    @Test func `a canceled task ends its stream`() async throws {
        let console = console()
        let task = Task { [self] in
            var stream = try await stream(console, after: "0.0")
            while await stream.next() != nil {}
        }
        task.cancel()
        try await task.value
    }

    @Test func `a console is released with its last stream`() async throws {
        weak var released: InMemoryStore?
        do {
            let store = InMemoryStore()
            released = store
            let console = TestConsole([Defaults.Keys.title], in: store)
            guard case .events(let events) = await console.respond("/events").body else { return }
            var stream = events.makeAsyncIterator()
            _ = await stream.next()
        }
        #expect(released == nil)
    }
}
