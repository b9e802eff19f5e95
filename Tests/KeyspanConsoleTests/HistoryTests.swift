import KeyspanConsole
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

extension Defaults.Keys {
    fileprivate static let title = Key<String>("title", default: "Notes")
    fileprivate static let count = Key<Int>("count", default: 10)
    fileprivate static let limits = Key<[String: Int]>("limits", default: [:])
    fileprivate static let list = Key<[Int]>("list", default: [])
}

/// The history of changes.
@Suite(.heavy)
struct HistoryTests {
    private let store = InMemoryStore()

    private func history(_ console: TestConsole) async throws -> String {
        let page = try await console.page()
        return String(page[try #require(page[...].range(of: "<ol reversed")).upperBound...])
    }

    @Test func `a change on a page has its author, and another one has none`() async throws {
        let console = TestConsole([Defaults.Keys.title, Defaults.Keys.count], in: store, as: .editing(as: "Ann"))
        Defaults(store)[.title] = "theirs"
        try await console.change("title", to: "mine")
        let history = try await history(console)
        let items = history.split(separator: "<time ").dropFirst()
        #expect(items.count == 2)
        #expect(items.first?.contains("<b>Ann</b>") == true && items.first?.contains("theirs") == true)
        #expect(items.last?.contains("elsewhere") == true)
        #expect(try await console.page().row(of: "title")?.contains(" by Ann") == true)
    }

    @Test func `a change without effect leaves no author behind`() async throws {
        let console = TestConsole([Defaults.Keys.title], in: store, as: .editing(as: "Ann"))
        Defaults(store)[.title] = "same"
        try await console.change("title", to: "same")
        try await console.change("title", "json", to: "[")
        Defaults(store)[.title] = "theirs"
        #expect(try await !history(console).contains("Ann"))
    }

    @Test func `the history is bounded, and has the latest first`() async throws {
        let console = TestConsole([Defaults.Keys.count], in: store) { $0.maximumHistoryCount = 3 }
        for number in 100..<110 { Defaults(store)[.count] = number }
        let history = try await history(console)
        #expect(history.split(separator: "<time ").dropFirst().count == 3)
        #expect(!history.contains("105") && history.contains("106"))
        let latest = try #require(history[...].range(of: ">109<"))
        let first = try #require(history[...].range(of: ">107<"))
        #expect(latest.lowerBound < first.lowerBound)
    }

    @Test func `the author of a change is the person whose values it has`() async throws {
        let racing = ScriptedStore(["title": "seen"])
        let console = TestConsole([Defaults.Keys.title, Defaults.Keys.count], in: racing, as: .editing(as: "Ann"))
        racing.beforeNext(.write) { Defaults(racing.base)[.title] = "theirs" }
        #expect(try await console.change("title", to: "mine").status == 409)
        #expect(try await !history(console).contains("Ann"))
        #expect(try await console.page().row(of: "title")?.contains("Ann") == false)
        // What failed leaves nothing behind.
        Defaults(racing)[.title] = "mine"
        #expect(try await !history(console).contains("Ann"))
    }

    @Test(arguments: [false, true])
    func `a change below a layer that decides is in the history and has a version`(_ isWrapped: Bool) async throws {
        let layers = LayeredStore([
            .init("environment", EnvironmentStore(prefix: "APP_", environment: ["APP_COUNT": "70"])),
            .init("memory", store, isWritable: true),
        ])
        let settings: any PropertyListStore = isWrapped ? WrappingStore(layers) : layers
        let console = TestConsole([Defaults.Keys.count], in: settings, as: .editing(as: "Ann"))
        let seen = try await console.version(of: "count")
        #expect(try await console.change("count", to: "7").status == 200)
        let history = try await history(console)
        #expect(
            history.contains("<b>Ann</b>") && history.contains("below a layer that decides") && history.contains(">7<")
        )
        let late = try await console.send([["key": "count", "version": .string(seen), "text": "8"]])
        #expect(late.status == 409 && store.value(forKey: "count") == 7)
        #expect(try await console.page("/editor?key=count").contains(#"value="7""#))
        let reset = try await console.change("count", "reset", to: true)
        #expect(reset.status == 200 && store.snapshot().isEmpty)
        #expect(reset.content["warnings"]?.description.contains("count") == true)
    }

    @Test func `a layer above hides only its own members of a merged dictionary`() async throws {
        let layers = LayeredStore(
            [.init("vendor", InMemoryStore(["limits": ["a": 1]])), .init("memory", store, isWritable: true)],
            dictionaries: .merged
        )
        let console = TestConsole([Defaults.Keys.limits], in: layers, as: .editing(as: "Ann"))
        let answer = try await console.change("limits", "json", to: #"{"b": 2}"#)
        #expect(answer.status == 200 && answer.content["warnings"] == [])
        #expect(Defaults(layers)[.limits] == ["a": 1, "b": 2])
        var history = try await history(console)
        #expect(history.split(separator: "<time ").dropFirst().count == 1)
        #expect(history.contains("<b>Ann</b>") && !history.contains("below a layer that decides"))
        #expect(try await console.page("/editor?key=limits").contains("&quot;a&quot;") == false)
        #expect(try await console.page("/editor?key=limits").contains("&quot;b&quot;"))
        #expect(try await console.change("limits", "json", to: #"{"b": 2}"#).content["warnings"] == [])
        let seen = try await console.version(of: "limits")
        let hidden = try await console.change("limits", "json", to: #"{"a": 5, "b": 2}"#)
        #expect(hidden.status == 200 && hidden.content["warnings"]?.description.contains("limits") == true)
        history = try await self.history(console)
        #expect(history.split(separator: "<time ").dropFirst().count == 2)
        #expect(history.contains("below a layer that decides"))
        let late = try await console.send([["key": "limits", "version": .string(seen), "json": "{}"]])
        #expect(late.status == 409)
    }

    @Test func `a layer below the written one hides nothing`() async throws {
        let layers = LayeredStore([
            .init("memory", store, isWritable: true), .init("vendor", InMemoryStore(["count": 3])),
        ])
        let console = TestConsole([Defaults.Keys.count], in: layers)
        #expect(try await !console.page("/editor?key=count").contains("class=\"warning\""))
        let answer = try await console.change("count", to: "7")
        #expect(answer.status == 200 && answer.content["warnings"] == [])
    }

    @Test func `a change to the value of a layer below is in the history, and a layer above decides nothing`()
        async throws
    {
        let layers = LayeredStore([
            .init("memory", store, isWritable: true), .init("vendor", InMemoryStore(["count": 3])),
        ])
        let console = TestConsole([Defaults.Keys.count], in: layers, as: .editing(as: "Ann"))
        let seen = try await console.version(of: "count")
        for (member, value) in [("text", "3"), ("reset", true)] as [(String, PropertyListValue)] {
            #expect(try await console.change("count", member, to: value).content["warnings"] == [])
        }
        let history = try await history(console)
        #expect(history.ranges(of: "<b>Ann</b>").count == 2 && !history.contains("below a layer"))
        #expect(try await console.version(of: "count") != seen)
    }

    @Test func `large values take bounded space`() async throws {
        let console = TestConsole([Defaults.Keys.title, Defaults.Keys.list], in: store)
        for number in 0..<20 {
            Defaults(store)[.title] = String(repeating: "\(number)", count: 100_000)
            Defaults(store)[.list] = Array(repeating: number, count: 10_000)
        }
        let history = try await history(console)
        #expect(history.split(separator: "<time ").dropFirst().count == 40 && history.utf8.count < 60_000)
    }

    @Test func `a wide change shows some of its keys`() async throws {
        let keys = (0..<100).map { Defaults.Key<Int>("k\($0)", default: 0) }
        let console = TestConsole(keys, in: store)
        Defaults(store).update { batch in for key in keys { batch[key] = 7 } }
        let history = try await history(console)
        #expect(history.ranges(of: "<code>").count == 20 && history.contains("and 80 more"))
    }

    @Test(arguments: [("applied", true), ("unknown", true), ("none", false)])
    func `a failure of the store says whether the change was made`(_ effect: String, _ isMade: Bool) async throws {
        let racing = ScriptedStore(over: store)
        let outcomes = Recorder<[SettingsConsole.AuditEvent.Outcome]>()
        let console = TestConsole([Defaults.Keys.title], in: racing, as: .editing(as: "Ann")) {
            $0.onAuditEvent = { outcomes.record($0.changes.map(\.outcome)) }
        }
        let code: StoreError.Code =
            switch effect {
            case "applied": StoreError.Code("shown late", effect: .applied)
            case "unknown": StoreError.Code("lost answer", effect: .unknown)
            default: StoreError.Code("refused")
            }
        let error = StoreError(code, store: "s", reason: "it broke", remedy: "wait")
        racing.failWrites(with: error, afterApplying: isMade)
        let answer = try await console.change("title", to: "mine")
        #expect(answer.status == (isMade ? 200 : 503))
        #expect(outcomes.values == [[isMade ? (effect == "unknown" ? .unknown : .notDurable) : .failed]])
        #expect(try await history(console).contains("<b>Ann</b>") == isMade)
        #expect(answer.content.description.contains("Nothing was changed") == !isMade)
    }
}
