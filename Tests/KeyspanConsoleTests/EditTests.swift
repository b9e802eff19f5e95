import KeyspanConsole
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

private enum Mood: String, CaseIterable, Defaults.Serializable, Sendable {
    case calm, busy
}

private struct Account: Codable, Hashable, Sendable, Defaults.Serializable {
    var name: String
    var age: Int?
}

extension Defaults.Keys {
    fileprivate static let title = Key<String>("title", default: "Notes").validated(by: .notEmpty)
    fileprivate static let count = Key<Int>("count", default: 10).validated(by: .range(1...100))
    fileprivate static let big = Key<UInt64>("big", default: 0)
    fileprivate static let ratio = Key<Double>("ratio", default: 0.5)
    fileprivate static let isOn = Key<Bool>("isOn", default: false)
    fileprivate static let mood = Key<Mood>("mood", default: .calm)
    fileprivate static let labels = Key<[String]>("labels", default: [])
    fileprivate static let colors = Key<[String: String]>("colors", default: [:])
    fileprivate static let account = Key<Account?>("account")
    fileprivate static let wait = Key<Duration>("wait", default: .seconds(5))
    fileprivate static let nickname = Key<String?>("nickname")
    fileprivate static let pin = Key<Int?>("pin").validated(by: .ifPresent(.range(1000...9999))).secret()
}

private let keys: [Defaults.AnyKey] = [
    .title, .count, .big, .ratio, .isOn, .mood, .labels, .colors, .account, .wait, .nickname, .pin,
]

/// Changes that a page sends.
@Suite(.heavy)
struct EditTests {
    private let store = InMemoryStore()

    private var defaults: Defaults { Defaults(store) }

    private var console: TestConsole { TestConsole(keys, in: store) }

    @Test func `each kind of value is written as its key writes it`() async throws {
        let console = console
        let changes: [(String, String, PropertyListValue)] = [
            ("title", "text", "a \"b\"\nc\u{0}"), ("count", "text", "42"), ("big", "text", "18446744073709551615"),
            ("ratio", "text", "1e-3"), ("isOn", "text", "true"), ("mood", "text", "busy"),
            ("labels", "json", #"["a,b", "", "c"]"#), ("colors", "json", #"{"a": "red", "$data": "x"}"#),
            ("account", "json", #"{"name": "Ann", "age": 7}"#), ("wait", "text", "1m30s"), ("nickname", "text", ""),
            ("pin", "text", "1234"),
        ]
        for (key, member, value) in changes {
            let answer = try await console.change(key, member, to: value)
            #expect(answer.status == 200, "\(key): \(answer.content)")
        }
        #expect(defaults[.title] == "a \"b\"\nc\u{0}" && defaults[.count] == 42 && defaults[.big] == .max)
        #expect(defaults[.ratio] == 0.001 && defaults[.isOn] && defaults[.mood] == .busy)
        #expect(defaults[.labels] == ["a,b", "", "c"] && defaults[.colors] == ["a": "red", "$data": "x"])
        #expect(defaults[.account] == Account(name: "Ann", age: 7) && defaults[.wait] == .seconds(90))
        #expect(defaults[.nickname] == "" && defaults[.pin] == 1234)
        let byKeys = InMemoryStore()
        let other = Defaults(byKeys)
        other[.account] = defaults[.account]
        other[.wait] = defaults[.wait]
        other[.mood] = defaults[.mood]
        for key in ["account", "wait", "mood"] { #expect(store.value(forKey: key) == byKeys.value(forKey: key)) }
    }

    @Test(
        arguments: [
            ("title", "text", "", "not empty"), ("count", "text", "101", "between 1 and 100"),
            ("count", "text", "ten", "ten"), ("big", "text", "18446744073709551616", "18446744073709551616"),
            ("mood", "text", "sad", "sad"), ("labels", "json", "[1]", "[0]"),
            ("account", "json", #"{"age": 1}"#, "name"),
            ("wait", "text", "soon", "soon"), ("isOn", "json", #""maybe""#, "maybe"),
        ] as [(String, String, String, String)]
    )
    func `a value that its key cannot have is refused`(
        _ key: String,
        _ member: String,
        _ value: String,
        _ reason: String
    ) async throws {
        let answer = try await console.change(key, member, to: .string(value))
        #expect(answer.status == 422)
        let text = answer.content.description
        #expect(text.contains(reason), "\(text)")
        #expect(store.snapshot().isEmpty)
    }

    @Test func `an error in JSON has a line and a column`() async throws {
        let answer = try await console.change("colors", "json", to: "{\n  \"a\": red\n}")
        guard case .array(let errors)? = answer.content["errors"], let error = errors.first?.dictionaryValue else {
            Issue.record("\(answer)")
            return
        }
        #expect(error["key"] == "colors" && error["line"] == 2 && error["column"] == 8)
    }

    @Test(arguments: ["text", "json"])
    func `the refusal of a secret does not repeat it`(_ member: String) async throws {
        for value in ["77777", "\"abcdef\"", "{abcdef"] {
            let answer = try await console.change("pin", member, to: .string(value))
            #expect(answer.status == 422)
            let text = answer.content.description
            #expect(!text.contains("77777") && !text.contains("abcdef"), "\(text)")
        }
    }

    @Test func `several changes are one batch, or none`() async throws {
        let console = console
        let changes = Recorder<PropertyListChange>()
        let observation = store.observe(.all, initial: false) { changes.record($0) }
        defer { observation.cancel() }
        let version = try await console.version(of: "title")
        func send(count: PropertyListValue) async throws -> Int {
            try await console.send([
                ["key": "title", "version": .string(version), "text": "x"],
                ["key": "count", "version": .string(version), "text": count],
                ["key": "isOn", "version": .string(version), "text": "true"],
            ]).status
        }
        #expect(try await send(count: "0") == 422 && store.snapshot().isEmpty)
        #expect(try await send(count: "7") == 200 && defaults[.count] == 7 && defaults[.isOn])
        #expect(changes.count == 1)
    }

    @Test func `all invalid values of a batch are named`() async throws {
        let version = try await console.version(of: "title")
        let answer = try await TestConsole(keys, in: store).send([
            ["key": "title", "version": .string(version), "text": ""]
        ])
        // Another console is another run.
        #expect(answer.status == 409)
        let console = console
        let present = try await console.version(of: "title")
        let both = try await console.send([
            ["key": "title", "version": .string(present), "text": ""],
            ["key": "count", "version": .string(present), "text": "0"],
        ])
        guard case .array(let errors)? = both.content["errors"] else { return #expect(Bool(false)) }
        #expect(errors.count == 2)
    }

    @Test func `a value that somebody changed meanwhile is not overwritten unseen`() async throws {
        let console = console
        let seen = try await console.version(of: "title")
        defaults[.title] = "theirs"
        let answer = try await console.send([["key": "title", "version": .string(seen), "text": "mine"]])
        #expect(answer.status == 409 && defaults[.title] == "theirs")
        let text = answer.content.description
        #expect(text.contains("The value is now") && text.contains("theirs"))
        let other = try await console.send([["key": "count", "version": .string(seen), "text": "7"]])
        #expect(other.status == 409 || defaults[.count] == 7)
    }

    @Test func `the store decides about a change at the same instant`() async throws {
        let racing = ScriptedStore(["title": "seen"])
        let console = TestConsole(keys, in: racing)
        let version = try await console.version(of: "title")
        racing.beforeNext(.write) { Defaults(racing.base)[.title] = "theirs" }
        let answer = try await console.send([["key": "title", "version": .string(version), "text": "mine"]])
        #expect(answer.status == 409 && Defaults(racing)[.title] == "theirs")
        #expect(answer.content.description.contains("theirs"))
    }

    @Test func `a reset removes the value`() async throws {
        defaults[.title] = "x"
        let answer = try await console.change("title", "reset", to: true)
        #expect(answer.status == 200 && store.snapshot().isEmpty)
        #expect(answer.content.description.contains("Notes"))
    }

    @Test func `an unreadable value is kept when it is replaced`() async throws {
        try store.apply(PropertyListBatch(.set("many", key: "count")))
        #expect(try await console.change("count", to: "7").status == 200)
        #expect(defaults[.count] == 7 && defaults.keptValues(for: .count).count == 1)
    }

    @Test func `a change that a higher layer hides is saved with a warning`() async throws {
        let layers = LayeredStore([
            .init("environment", EnvironmentStore(prefix: "APP_", keys: keys, environment: ["APP_COUNT": "70"])),
            .init("memory", store, isWritable: true),
        ])
        let console = TestConsole(keys, in: layers)
        #expect(try await console.page("/editor?key=count").contains("environment variable APP_COUNT"))
        let answer = try await console.change("count", to: "7")
        #expect(answer.status == 200 && store.value(forKey: "count") == 7)
        #expect(answer.content["warnings"]?.description.contains("count") == true)
    }

    @Test func `a store that refuses is named, and nothing is lost`() async throws {
        let console = TestConsole(keys, in: EnvironmentStore(prefix: "APP_", environment: [:]))
        let answer = try await console.change("title", to: "x")
        #expect(answer.status == 503 && answer.content["message"]?.stringValue?.contains("can only be read") == true)
    }

    @Test(arguments: [
        "", "{", "[]", "{}", #"{"changes": []}"#, #"{"changes": [1]}"#, #"{"changes": [{"text": "x"}]}"#,
        #"{"changes": [{"key": "title"}]}"#, #"{"changes": [{"key": "title", "text": "a", "json": "1"}]}"#,
        #"{"changes": [{"key": "title", "reset": false}]}"#, #"{"changes": [{"key": "title", "text": 7}]}"#,
        #"{"changes": [{"key": "title", "text": "a"}, {"key": "title", "text": "b"}]}"#,
        #"{"changes": [{"key": "title", "text": null}]}"#,
    ])
    func `a body that no page sends is refused`(_ body: String) async throws {
        let console = console
        let headers = [
            (name: "Content-Type", value: "application/json"), ("X-Keyspan-Token", try await console.token()),
        ]
        #expect(await console.respond("POST", "/changes", headers, body: body).status == 400)
        #expect(store.snapshot().isEmpty)
    }

    @Test(arguments: [nil, "", "x", "0.0", "ffffffffffffffff.18446744073709551615", "0.0.0", "-1.0"])
    func `a change without the present version is a conflict`(_ version: String?) async throws {
        var change: PropertyListDictionary = ["key": "title", "text": "x"]
        change["version"] = version.map { .string($0) }
        #expect(try await console.send([change]).status == 409 && store.snapshot().isEmpty)
    }

    @Test func `a secret is not emptied unseen`() async throws {
        let key = Defaults.Key<String?>("password").secret()
        let store = InMemoryStore(["password": "x"])
        let console = TestConsole([key], in: store)
        #expect(try await console.change("password", to: "").status == 422)
        #expect(Defaults(store)[key] == "x")
        #expect(try await console.change("password", "reset", to: true).status == 200)
        #expect(Defaults(store)[key] == nil)
    }
}
