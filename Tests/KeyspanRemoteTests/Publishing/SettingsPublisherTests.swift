import Foundation
import HTTPTypes
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// The keys and values of documents, and what stops a publisher.
@Suite
struct SettingsPublisherTests {
    @Test func `a document has the values of published keys, and no others`() throws {
        let server = try TestServer(["limit": 5, "internal": "x", "unknown": 1])
        let message = try server.message()
        #expect(message.values == ["limit": 5] && message.name == "test" && message.group == "all")
        server.defaults[TestKeys.title] = "a"
        let next = try server.message()
        #expect(next.values == ["limit": 5, "title": "a"] && next.revision > message.revision)
        server.defaults[TestKeys.internalKey] = "y"
        #expect(try server.message().revision == next.revision)
        server.defaults.reset(TestKeys.limit)
        #expect(try server.message().values == ["title": "a"])
    }

    struct Keys: KeyGroup {
        let limit = Key<Int>("limit", default: 1).published()
        let nested = Nested()

        struct Nested: KeyGroup {
            let on = Key<Bool>("on", default: false).published()
        }
    }

    @Test func `the keys of a group are published with its nested groups`() throws {
        let store = InMemoryStore(["limit": 2, "on": true])
        let publisher = try SettingsPublisher(
            Keys.allKeys,
            in: store,
            name: "group",
            signingKey: .generate(id: "a"),
            groups: ["b": []]
        ) { _ in "b" }
        func respond(_ path: String) -> RemoteResponse {
            publisher.respond(to: HTTPRequest(method: .get, scheme: nil, authority: nil, path: path))
        }
        let bytes = try #require(respond("/settings/b").bytes)
        let message = try SettingsDocument(content: try SignedMessage(reading: bytes, atMost: 1 << 16).content)
        #expect(message.values == ["limit": 2, "on": true] && message.group == "b" && message.name == publisher.name)
        #expect(respond("/settings")[.location] == "settings/b")
    }

    // MARK: - Publishers that cannot be made

    @Test(
        arguments: [
            [Defaults.Key<String>("token", default: "").published().secret()],
            [
                Defaults.Key<String>("token", default: "").published(),
                Defaults.Key<String>("token", default: "").secret(),
            ],
            [
                Defaults.Key<String>("token", default: "").secret(), TestKeys.limit,
                Defaults.Key<String>("token", default: "").published(),
            ],
            // The dictionary has the secret inside, and the other way round.
            [
                Defaults.Key<[String: String]>("token", default: [:]).published(),
                Defaults.Key<String>("token.value", default: "").secret(),
            ],
            [
                Defaults.Key<[String: String]>("a", default: [:]).secret(),
                Defaults.Key<String>("a.token", default: "").published(),
            ],
        ] as [[Defaults.AnyKey]]
    )
    func `a published key with a secret stops the publisher`(_ keys: [Defaults.AnyKey]) throws {
        let error = #expect(throws: SettingsPublisherError.self) { try TestServer(keys: keys + TestKeys.all) }
        #expect(error?.kind == .secretKey && error?.key?.hasSuffix("token") == true)
        #expect(error?.description.contains("token") == true)
    }

    @Test func `a secret beside published keys stops nothing`() throws {
        let secret = Defaults.Key<String>("limit.token", default: "").secret()
        let server = try TestServer(["limit": 1, "limit.token": "x"], keys: [TestKeys.limit, secret])
        #expect(try server.message().values == ["limit": 1])
    }

    @Test(arguments: [
        "", ".", "...", "all", "changes", "a b", "a/b", "ä", "%61", "a\n", String(repeating: "a", count: 65),
    ])
    func `a group that cannot be part of a path stops the publisher`(_ name: String) {
        let error = #expect(throws: SettingsPublisherError.self) { try TestServer(groups: ["b": [], name: []]) }
        #expect(error?.kind == .invalidGroup && error?.group == name)
    }

    @Test(arguments: ["a", "A-Z.0_9", ".a", "Changes", "ALL", String(repeating: "a", count: 64)])
    func `other names are those of groups`(_ name: String) throws {
        #expect(try TestServer(groups: [name: []]).message(name).group == name)
    }

    @Test func `names, paths and keys that cannot be published stop the publisher`() throws {
        func kind(_ make: () throws -> TestServer) -> SettingsPublisherError.Kind? {
            #expect(throws: SettingsPublisherError.self) { try make() }?.kind
        }
        for name in ["", "a\nb", "\u{7F}", String(repeating: "a", count: 129)] {
            #expect(kind { try TestServer(name: name) } == .invalidName)
        }
        for path in ["", "/", "settings", "/settings/", "/a?b"] {
            #expect(kind { try TestServer(options: .init { $0.path = path }) } == .invalidPath)
        }
        #expect(kind { try TestServer(keys: [TestKeys.internalKey]) } == .noPublishedKeys)
        _ = try TestServer(name: String(repeating: "ä", count: 64))
    }

    // MARK: - Bad values

    @Test func `a value that its key cannot read is reported once and not published`() throws {
        let problems = Problems()
        let server = try problems.collect { try TestServer(["limit": "no", "port": 0, "title": "a"]) }
        #expect(try server.message().values == ["title": "a"])
        #expect(problems.kinds == ["valueNotPublished", "valueNotPublished"])
        problems.collect { server.defaults[TestKeys.title] = "b" }
        #expect(problems.kinds.count == 2)
        problems.collect { server.defaults[TestKeys.limit] = 3 }
        #expect(try server.message().values == ["title": "b", "limit": 3])
        try problems.collect { try server.set(["limit": "no"]) }
        #expect(problems.kinds.count == 3)
        #expect(try server.message().values == ["title": "b", "limit": 3])
        try server.set(["limit": PropertyListValue?.none])
        #expect(try server.message().values == ["title": "b"])
        try problems.collect { try server.set(["limit": "no"]) }
        #expect(problems.kinds.count == 4)
    }

    @Test func `a bad value keeps the good one before, and is no change`() throws {
        let server = try TestServer(["port": 30, "title": "a"])
        let first = try server.message()
        try Problems().collect { try server.set(["port": 70_000]) }
        #expect(try server.message() == first)
        try server.set(["title": "b"])
        let second = try server.message()
        #expect(second.values == ["port": 30, "title": "b"] && second.revision > first.revision)
        try server.set(["port": nil])
        #expect(try server.message().values == ["title": "b"])
    }

    @Test func `a bad value at the start leaves that of the store below`() throws {
        let (high, low) = (InMemoryStore(["port": 0, "limit": "x"]), InMemoryStore(["port": -1, "limit": 7]))
        let server = try Problems().collect {
            try TestServer(["port": 30, "title": "a"], groups: ["b": [high, low]])
        }
        #expect(try server.message("b").values == ["port": 30, "limit": 7, "title": "a"])
        #expect(try server.message().values == ["port": 30, "title": "a"])
    }

    @Test func `a bad value of several groups is reported once, with its key and its publisher`() throws {
        let problems = Problems()
        let groups = ["a": [InMemoryStore(["limit": 2])], "b": [InMemoryStore(["title": "a"])], "c": []]
        let server = try problems.collect { try TestServer(["limit": "no"], groups: groups) }
        #expect(problems.kinds == ["valueNotPublished"])
        #expect(
            problems.values.first?.fields["key"] == "limit"
                && problems.values.first?.description.contains("\"test\"") == true
        )
        #expect(try server.message("a").values == ["limit": 2])
        #expect(try server.message("b").values == ["title": "a"])
        try problems.collect { try groups["a"]?[0].apply(PropertyListBatch(.set("no", key: "limit"))) }
        #expect(problems.kinds == ["valueNotPublished"])
    }

    @Test func `text that someone typed is published as its key reads it`() throws {
        let variables = EnvironmentStore(prefix: "T_", environment: ["T_LIMIT": "7", "T_TITLE": "8"])
        let server = try TestServer(groups: ["typed": [variables]])
        #expect(try server.message("typed").values == ["limit": 7, "title": "8"])
    }

    @Test func `a value with too many nested collections is not published`() throws {
        func nested(_ depth: Int) -> PropertyListValue { (0..<depth).reduce(1) { value, _ in .array([value]) } }
        let key = Defaults.Key<PropertyListValue>("nested", default: 1).published()
        let (problems, limit) = (Problems(), SettingsDocument.maximumNestingOfValue)
        let server = try TestServer(["nested": nested(limit)], keys: [key])
        #expect(try server.message().values == ["nested": nested(limit)])
        try problems.collect { try server.set(["nested": nested(limit + 1)]) }
        #expect(problems.kinds == ["valueNotPublished"])
        #expect(try server.message().values == ["nested": nested(limit)])
    }

    // MARK: - Values that are too large

    @Test func `values that are too large keep clients at those before`() throws {
        let problems = Problems()
        let server = try TestServer(["title": "a"], options: .init { $0.maximumSize = 4_096 })
        let message = try server.message()
        for count in [5_000, 5_001] {
            problems.collect { server.defaults[TestKeys.title] = String(repeating: "x", count: count) }
        }
        #expect(problems.kinds == ["documentTooLarge"])
        #expect(try server.message() == message)
        problems.collect { server.defaults[TestKeys.title] = "b" }
        #expect(try server.message().values == ["title": "b"])
        #expect(problems.kinds.count == 1)
        problems.collect { server.defaults[TestKeys.title] = String(repeating: "x", count: 5_000) }
        #expect(problems.kinds.count == 2)
    }

    @Test func `a document is never larger than the limit`() throws {
        // The longest names, all of whose characters are escaped.
        let (name, group) = (String(repeating: "\"", count: 128), String(repeating: "g", count: 64))
        let key = try SigningKey.generate(id: String(repeating: "k", count: 64))
        let options = SettingsPublisherOptions { $0.maximumSize = 4_096 }
        let server = try TestServer(name: name, key: key, groups: [group: []], options: options)
        var largest = 0
        for count in stride(from: 2_900, through: 4_096, by: 20) {
            Problems().collect { server.defaults[TestKeys.title] = String(repeating: "x", count: count) }
            largest = max(largest, try server.document(group).count)
        }
        #expect((3_000...4_096).contains(largest))
    }

    @Test func `values that are too large at the start are not replaced by an empty document`() throws {
        let problems = Problems()
        let text = String(repeating: "x", count: 5_000)
        let options = SettingsPublisherOptions { $0.maximumSize = 4_096 }
        let server = try problems.collect {
            try TestServer(
                ["title": .string(text), "limit": 3],
                groups: ["b": [InMemoryStore(["title": "b"])]],
                options: options
            )
        }
        for path in ["/settings/all", "/settings/all/\(try server.tag("b").text)", "/settings/all/changes"] {
            let response = problems.collect { server.get(path) }
            #expect(response.status == 503 && response[.retryAfter] == "60")
        }
        #expect(problems.kinds == ["documentTooLarge"])
        #expect(try server.message("b").values == ["title": "b", "limit": 3])
        server.defaults[TestKeys.title] = "a"
        #expect(try server.message().values == ["title": "a", "limit": 3])
    }

    // MARK: - Closing

    @Test func `a closed publisher is not available, and follows no stores`() throws {
        let (store, other) = (ScriptedStore(), ObserverCountingStore())
        let server = try TestServer(groups: ["b": [store, other], "c": [other]]) { _ in
            Issue.record("the closure is called")
            return "b"
        }
        #expect(other.observerCount == 1)
        server.publisher.close()
        #expect(other.observerCount == 0)
        let count = store.readingCount
        for path in ["/settings", "/settings/all", "/settings/b", "/settings/all/changes"] {
            let response = server.get(path)
            #expect(response.status == 503 && response[.retryAfter] == "60" && response[.cacheControl] == "no-store")
        }
        try store.apply(PropertyListBatch(.set(1, key: "limit")))
        #expect(store.readingCount == count)
    }

    @Test func `a released publisher follows no stores`() throws {
        let store = ScriptedStore()
        var server: TestServer? = try TestServer(groups: ["b": [store]])
        #expect(try server?.message("b").values == [:])
        server = nil
        let count = store.readingCount
        try store.apply(PropertyListBatch(.set(1, key: "limit")))
        #expect(store.readingCount == count)
    }
}
