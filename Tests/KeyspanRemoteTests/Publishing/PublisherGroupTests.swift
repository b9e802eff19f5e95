import Foundation
import HTTPTypes
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// Groups: their documents, and how clients are assigned to them.
@Suite
struct PublisherGroupTests {
    private static func cohort(_ traits: ClientTraits) -> String { traits.cohort ?? "all" }

    // MARK: - Documents

    @Test func `each group has a document, with the values of its stores above those of the base store`() throws {
        let (beta, ios) = (InMemoryStore(["limit": 2]), InMemoryStore(["limit": 3, "title": "ios"]))
        let groups = ["beta": [beta], "ios": [ios], "both": [beta, ios]]
        let server = try TestServer(["limit": 1, "title": "base"], groups: groups)
        let expected: [String: PropertyListDictionary] = [
            "all": ["limit": 1, "title": "base"], "beta": ["limit": 2, "title": "base"],
            "ios": ["limit": 3, "title": "ios"], "both": ["limit": 2, "title": "ios"],
        ]
        for (group, values) in expected {
            let message = try server.message(group)
            #expect(message.values == values && message.group == group)
        }
        try beta.apply(PropertyListBatch(.remove(key: "limit")))
        #expect(try server.message("beta").values == ["limit": 1, "title": "base"])
        #expect(try server.message("both").values == ["limit": 3, "title": "ios"])
    }

    @Test func `groups with equal values have other documents, states and tags`() throws {
        let server = try TestServer(["limit": 1], groups: ["a": [], "b": []])
        let messages = try ["all", "a", "b"].map { try server.message($0) }
        #expect(Set(messages.map(\.state)).count == 3 && Set(messages.map(\.group)) == ["all", "a", "b"])
        #expect(Set(messages.map(\.revision)).count == 1)
        // The document of one group is none of another.
        #expect(server.get("/settings/a", unless: try server.tag("b").entityTag).status == 200)
        #expect(server.get("/settings/a/\(try server.tag("b").text)").status == 404)
    }

    @Test func `all groups have one revision, which rises with a change of any`() throws {
        let overlay = InMemoryStore(["limit": 2])
        let server = try TestServer(["limit": 1], groups: ["beta": [overlay]])
        let (first, tag) = (try server.message(), try server.tag())
        try overlay.apply(PropertyListBatch(.set(3, key: "limit")))
        let second = try server.message()
        #expect(second.revision == first.revision + 1 && second.state == first.state)
        #expect(try server.message("beta").revision == second.revision)
        // Clients of the other group keep what they have.
        #expect(server.get(unless: tag.entityTag).status == 304)
        #expect(try server.tag().isEquivalent(to: tag))
        #expect(server.publisher.revision == second.revision)
        // A change that a higher store hides is none.
        try server.base.apply(PropertyListBatch(.set("x", key: "internal")))
        #expect(server.publisher.revision == second.revision)
    }

    @Test(arguments: ["b", "changes", "ALL", "all%20", "%61ll", "", "..", "all/", "all/changes/", "all//", "all/a/b"])
    func `an unknown group and other paths are not found`(_ path: String) throws {
        let response = try TestServer(groups: ["a": []]).get("/settings/\(path)")
        #expect(response.status == 404 && response[.cacheControl] == "no-store")
    }

    // MARK: - Assignment

    @Test(arguments: [
        ("/settings", "all"), ("/settings?", "all"), ("/settings?cohort=beta", "beta"),
        ("/settings?cohort=b%65ta", "beta"),
        ("/settings?platform=iOS&cohort=a.b_c-d&later=1", "a.b_c-d"),
    ])
    func `a client with traits is sent to its group`(_ path: String, _ group: String) throws {
        let server = try TestServer(["limit": 1], groups: ["beta": [], "a.b_c-d": []], group: Self.cohort)
        for method in [HTTPRequest.Method.get, .head] {
            let response = server.get(path, method: method)
            #expect(response.status == 307 && response[.location] == "settings/\(group)")
            #expect(response[.cacheControl] == "no-store" && response[.eTag] == nil && response.bytes == [])
        }
        // An old tag does not keep a client in its group.
        #expect(server.get(path, unless: try server.tag(group).entityTag).status == 307)
    }

    @Test(arguments: [("/settings", "settings/b"), ("/a/b/c.d", "c.d/b")])
    func `the redirection is relative to the path, as a proxy may have another one`(_ path: String, _ location: String)
        throws
    {
        let server = try TestServer(groups: ["b": []], options: .init { $0.path = path }) { _ in "b" }
        #expect(server.get(path)[.location] == location)
        #expect(server.get("\(path)/b").status == 200 && server.get("\(path)x").status == 404)
        #expect(server.get("/settings/b").status == (path == "/settings" ? 200 : 404))
    }

    @Test func `a client of an unknown group is sent to the base store's, which is reported once an hour`() throws {
        let (clock, problems) = (TestClock(), Problems())
        let server = try TestServer(clock: clock, group: Self.cohort)
        func ask(_ cohort: String) {
            let response = problems.collect { server.get("/settings?cohort=\(cohort)") }
            #expect(response[.location] == "settings/all")
        }
        for cohort in ["a", "a", "b"] { ask(cohort) }
        #expect(problems.kinds == ["unknownGroup"])
        #expect(problems.values.first?.description.contains("\"a\"") == true)
        clock.advance(by: 3_599)
        ask("a")
        #expect(problems.kinds.count == 1)
        clock.advance(by: 1)
        ask("a")
        #expect(problems.kinds.count == 2)
    }

    @Test func `the closure is called for redirections alone, on the thread of the request`() throws {
        let calls = Recorder<Bool>()
        let onRequest = Locked(false)
        let overlay = InMemoryStore()
        let options = SettingsPublisherOptions { $0.heartbeat = .seconds(3_600) }
        let server = try TestServer(["limit": 1], groups: ["beta": [overlay]], options: options) { traits in
            calls.record(onRequest.withLock(\.self))
            return Self.cohort(traits)
        }
        let stream = try server.stream("beta")
        _ = try server.document("beta")
        _ = server.get("/settings/beta?cohort=beta")
        server.defaults[TestKeys.limit] = 2
        try overlay.apply(PropertyListBatch(.set(3, key: "limit")))
        server.publisher.refreshGroups()
        #expect(server.get("/settings?bucket=1000").status == 400)
        #expect(calls.count == 0)
        onRequest.withLock { $0 = true }
        for _ in 0..<3 { _ = server.get("/settings?cohort=beta") }
        #expect(calls.values == [true, true, true])
        withExtendedLifetime(stream) {}
    }

    @Test func `a write costs a reading for each group, whatever contexts of clients have come`() throws {
        let (base, overlay, calls) = (ScriptedStore(["limit": 1]), ScriptedStore(), Recorder<Void>())
        let options = SettingsPublisherOptions { $0.heartbeat = .seconds(3_600) }
        let server = try TestServer(groups: ["a": [overlay, base], "b": [base]], options: options) { traits in
            calls.record(())
            return Self.cohort(traits)
        }
        func costOfWrite(_ value: Int) throws -> (base: Int, overlay: Int, calls: Int) {
            let before = (base.readingCount, overlay.readingCount, calls.count)
            try base.apply(PropertyListBatch(.set(.number(value), key: "limit")))
            return (base.readingCount - before.0, overlay.readingCount - before.1, calls.count - before.2)
        }
        #expect(try costOfWrite(2) == (2, 1, 0))
        let count = TestLevel.current.pick(20_000, thorough: 100_000)
        Problems().collect {
            for number in 0..<count { _ = server.get("/settings?cohort=c\(number)&bucket=\(number % 1_000)") }
        }
        let streams = try (0..<100).map { try server.stream($0.isMultiple(of: 2) ? "a" : "b") }
        #expect(calls.count == count)
        #expect(try costOfWrite(3) == (2, 1, 0))
        #expect(server.publisher.core.state.withLock(\.contents.count) == 3)
        withExtendedLifetime(streams) {}
    }
}
