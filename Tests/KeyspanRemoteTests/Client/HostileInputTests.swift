import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// Documents, events, cache files and requests that someone has made to do harm.
@Suite(.bounded)
struct HostileInputTests {
    private func signed(_ json: String, by server: TestServer) -> [UInt8] {
        SignedMessage(Array(json.utf8), signedWith: server.key).bytes
    }

    private func json(_ values: String, revision: String = "5", extra: String = "", name: String = "test") -> String {
        """
        {"kind": "document", "name": "\(name)", "revision": \(revision), "state": "0123456789abcdef0123456789abcdef", \
        "issued": "2027-01-15T08:00:00Z", "expires": "2027-01-16T08:00:00Z", "values": \(values)\(extra)}
        """
    }

    @Test(arguments: [
        #"{"limit": 1e999}"#, #"{"limit": NaN}"#, #"{"limit": 1, "limit": 2}"#, #"{"title": "\ud800"}"#,
        #"{"title": "\udc00\ud800"}"#, #"{"limit": {"$double": "nan"}}"#, #"{"limit": 1}}"#, #"{"limit": 1},"#,
        #"{"limit": 01}"#, #"{"limit": +1}"#, #"[]"#, #"null"#, #""x""#, #"{"limit": null}"#, #"{"limit": 1} x"#,
        #"{"title": "\u0000"}"#, #"{"limit": {"$data": "?"}}"#, #"{"title": {"$unknown": 1}}"#,
        "{\"limit\":\r1}", "{\"title\": \"a\tb\"}", "{\"title\": \"\u{2028}\"}", #"{"": 1}"#,
        #"{"limit": 99999999999999999999999999999999999999999999}"#, #"{"limit": -0}"#, #"{"limit": 1e5}"#,
    ])
    func `odd JSON leaves a client as it was, or gives it a value of its key`(_ values: String) async throws {
        let server = try TestServer(["limit": 7])
        let odd = signed(json(values, revision: "2000000000000"), by: server)
        let transport = ClosureTransport { _, number in .body(number == 1 ? odd : try await server.document()) }
        let store = try Problems().collect { try makeClient(of: server, over: transport) }
        try await store.fetch()
        _ = try? await store.fetch()
        let defaults = Defaults(store)
        _ = (defaults[TestKeys.limit], defaults[TestKeys.title])
        if store.status.lastError != nil { #expect(store.snapshot() == ["limit": 7]) }
    }

    @Test(arguments: ["-1", "1.0", "1e3", "9223372036854775807", "9223372036854775808", "\"1\"", "null", "true"])
    func `an odd revision is refused or taken as a number`(_ revision: String) async throws {
        let server = try TestServer(["limit": 7])
        let odd = signed(json("{\"limit\": 3}", revision: revision), by: server)
        let store = try Problems().collect { try makeClient(of: server, over: ClosureTransport { _, _ in .body(odd) }) }
        _ = try? await store.fetch()
    }

    @Test func `deep JSON ends neither a client nor a reader of a cache`() async throws {
        let (server, folder) = (try TestServer(["limit": 7]), try TemporaryFolder())
        let deep = String(repeating: "[", count: 1_000_000)
        for text in [deep, String(repeating: "{\"a\":", count: 300_000)] {
            let body = signed(json("{\"title\": \(text)", revision: "2000000000000"), by: server)
            let store = try Problems().collect {
                try makeClient(of: server, over: ClosureTransport { _, _ in .body(body) })
            }
            await #expect(throws: (any Error).self) { try await store.fetch() }
            let path = try folder.write("keyspan-remote-cache 1\n\(text)\n", to: "cache")
            let problems = Problems()
            _ = try problems.collect { try makeClient(of: server, cache: path) }
            #expect(problems.kinds == ["cacheFailed"])
        }
    }

    @Test func `a cache with odd counts is reported and replaced`() async throws {
        let (server, folder) = (try TestServer(["limit": 7]), try TemporaryFolder())
        let document = String(decoding: try await server.document(), as: UTF8.self)
        let heads = [
            #"{"active":1,"fetched":1}"#, #"{"active":2,"fetched":0}"#, #"{"active":0,"fetched":0}"#,
            #"{"active":-1,"fetched":2}"#, #"{"active":9223372036854775807,"fetched":1}"#,
            #"{"active":1.0,"fetched":0}"#, #"{"active":1,"active":1,"fetched":0}"#, #"{}"#, #"[]"#, "",
            #"{"active":1,"fetched":0,"etag":"x","confirmed":"9999-12-31T23:59:59Z"}"#,
            #"{"active":1,"fetched":0,"etag":5,"confirmed":{}}"#, #"{"active":1048575,"fetched":1048575}"#,
        ]
        for head in heads {
            for body in [document, "", document + document, document + "\n", "\n\n\n\n"] {
                let path = try folder.write("keyspan-remote-cache 1\n\(head)\n\(body)", to: "cache")
                let problems = Problems()
                let store = try problems.collect { try makeClient(of: server, cache: path) }
                if problems.kinds.isEmpty { #expect([[:], ["limit": 7]].contains(store.snapshot())) }
                try await store.fetch()
                #expect(store.snapshot() == ["limit": 7])
                try await store.synchronize()
                let again = Problems()
                let second = try again.collect { try makeClient(of: server, cache: path) }
                #expect(again.kinds == [] && second.snapshot() == ["limit": 7], "\(head) \(body.count)")
            }
        }
    }

    @Test func `a stream of odd events does no harm`() async throws {
        let server = try TestServer(["limit": 7])
        let document = try await server.document()
        let good = event("document", document)
        let text = String(decoding: good, as: UTF8.self)
        var chunks = [Array("\u{FEFF}:\r\r\nid: 9223372036854775808.x\revent: other\rdata: {}\r\r".utf8)]
        let endings = ["\n", "\r", "\r\n"].map { Array(text.replacingOccurrences(of: "\n", with: $0).utf8) }
        for ending in endings { chunks += ending.map { [$0] } }
        let all = chunks
        let store = try makeClient(of: server, over: ClosureTransport { _, _ in .stream(all) }) { $0.isLive = true }
        try await eventually("the document has arrived", store.snapshot(), is: ["limit": 7])
        for bad in ["event: change\ndata: x\n\n", "event: document\ndata\ndata\n\n", "event: document\ndata:\n\n"] {
            let chunks = [good, Array(bad.utf8)]
            let store = try Problems().collect {
                try makeClient(of: server, over: ClosureTransport { _, _ in .stream(chunks) }) { $0.isLive = true }
            }
            try await eventually("the event is refused", store.status.lastError?.kind, is: .malformed)
            #expect(store.snapshot() == ["limit": 7])
        }
    }

    @Test func `an endless line and endless data end the stream`() async throws {
        let server = try TestServer(["limit": 7])
        for unit in ["x", "data: y\n", "data:\n", "id: abcdefgh\n", ":\n"] {
            let chunk = Array(String(repeating: unit, count: 1 << 12).utf8)
            let transport = ClosureTransport { _, number in
                number == 0 ? .stream(Array(repeating: chunk, count: 200), thenEnds: true) : .status(500)
            }
            let store = try Problems().collect {
                try makeClient(of: server, over: transport) { ($0.isLive, $0.maximumSize) = (true, 1 << 14) }
            }
            try await eventually("the stream has failed", store.status.lastError?.kind) { $0 != nil }
        }
    }

    // MARK: - The server half

    @Test func `odd targets, headers and methods have a status and no more`() async throws {
        let server = try TestServer(["limit": 7])
        let tag = (await server.get()).header("etag") ?? ""
        let targets = [
            "", "/", "//settings", "/settings?", "/settings?&&&", "/settings?=", "/settings?a", "/settings?%",
            "/settings?%4",
            "/settings?%zz=1", "/settings?platform=%FF", "/settings?platform=%00", "/settings?bucket=-1",
            "/settings?bucket=1000", "/settings?bucket=%31", "/settings?bucket=٣", "/settings?bucket=",
            "/settings?bucket=007",
            "/settings?cohort=a&cohort=b", "/settings?coho%72t=a&cohort=b", "/settings#x", "/settings/",
            "/settings/changes/",
            "/settin%67s", "/settings?platform=" + String(repeating: "a", count: 9_000), "http://x/settings", "*",
            "/settings?platform=" + String(repeating: "%C3%A9", count: 64),
            "/settings?x=" + String(repeating: "?", count: 99),
            "/settings?platform=e%CC%81&version=%F0%9F%98%80", "/se\u{301}ttings", "/settings\u{301}",
            "/settings\r\nX: y",
        ]
        for target in targets { #expect([200, 400, 404].contains((await server.get(target)).status), "\(target)") }
        for method in ["get", "", "POST", "GET\r\n", "CONNECT"] {
            #expect((await server.get(method: method)).status == 405)
        }
        let matches = [
            ("*", 304), (tag, 304), ("W/\(tag)", 304), ("\"x\", \(tag)", 304), ("\"x\",W/\(tag),", 304),
            (String(tag.dropLast()), 200),
            ("\"\(tag)\"", 200), (String(repeating: "\"x\",", count: 50_000), 200), ("\"", 200), ("W/", 200),
            ("\"*\"", 200),
            (String(repeating: "\"", count: 99_999), 200), ("\u{0}\u{FFFF}", 200),
        ]
        for (match, status) in matches {
            #expect((await server.get("/settings", ["if-none-match": match])).status == status, "\(match.prefix(40))")
        }
        let parts = tag.dropFirst().dropLast().split(separator: ".").map(String.init)
        for times in ["99999999999999999999", "9223372036854775807", "0", "-1", "1e3", ""] {
            let match = "\"\(parts[0]).\(parts[1]).\(times).\(parts[3])\""
            #expect((await server.get("/settings", ["if-none-match": match])).status == 200, "\(times)")
        }
    }

    @Test func `odd positions begin a stream with the document`() async throws {
        let server = try TestServer(["limit": 7])
        let state = try await server.message().state.text
        let largest = "9223372036854775807"
        for id in [
            "", "x", "-1.\(state)", "\(largest)0.\(state)", "5", ".\(state)", "5.\(state.dropLast())", "5.\(state)0",
            "+5.\(state)", "5.\(state.uppercased())", " 5.\(state)", "0.\(String(repeating: "0", count: 32))",
            "\(largest).\(String(repeating: "0", count: 32))", String(repeating: "9", count: 100_000),
        ] {
            var events = EventIterator(try await server.stream(after: id), of: server)
            let text = await events.text() ?? ""
            #expect(text.contains("event: document"), "\(id.prefix(60))")
        }
        // A client that is ahead of the server receives the next change, and asks for the document by itself.
        var events = EventIterator(try await server.stream(after: "\(largest).\(state)"), of: server)
        #expect(await events.text() == ":\n\n")
        try server.set(["limit": 8])
        #expect(try await events.next()?.event.type == "change")
    }

    @Test func `two thousand contexts leave few variants and registrations`() async throws {
        let overlays = (0..<2_000).map { _ in InMemoryStore() }
        let server = try TestServer(["limit": 7]) { client in
            [overlays[(Int(client.version ?? "") ?? 0) % overlays.count]]
        }
        await withTaskGroup(of: Void.self) { group in
            for part in 0..<8 {
                group.addTask {
                    for index in 0..<TestLevel.current.pick(100, thorough: 1_000) {
                        let number = (index * 7 + part * 251) % 2_000
                        let response = await server.get("/settings?version=\(number)&bucket=\(index % 1_000)")
                        #expect(response.status == 200)
                        if index % 20 == 0 { try? server.set(["limit": .number(index)]) }
                    }
                }
            }
        }
        let (variants, registrations, uses) = server.publisher.core.state.withLock { state in
            (state.variants.count, state.registrations.count, state.variants.values.reduce(0) { $0 + $1.uses })
        }
        #expect(variants <= 64 && registrations <= 65 && uses == 0)
        let last = server.base.snapshot()["limit"]
        for number in 0..<100 { #expect(try await server.message("?version=\(number)").values["limit"] == last) }
    }

    @Test func `values that compare equal and are written otherwise arrive`() async throws {
        let keys: [Defaults.AnyKey] = [
            Defaults.Key<String?>("text").published(), Defaults.Key<Double?>("number").published(),
            Defaults.Key<Int?>("é").published(), Defaults.Key<Int?>("e\u{301}").published(),
        ]
        let server = try TestServer(keys: keys)
        let store = try makeClient(of: server, keys: keys)
        let count = Recorder<Void>()
        let observation = store.observe(.all, initial: false) { _ in count.record(()) }
        let minusZero: PropertyListValue = .real(-0.0)
        let notANumber: PropertyListValue = .real(Double.nan)
        let steps: [[String: PropertyListValue?]] = [
            ["text": "é"], ["text": "e\u{301}"], ["number": PropertyListValue.real(0)], ["number": minusZero],
            ["number": notANumber],
            ["text": "x"], ["number": PropertyListValue.real(Double.infinity)], ["é": 1], ["e\u{301}": 2], ["é": nil],
        ]
        for (index, step) in steps.enumerated() {
            try server.set(step)
            let isNew = try await store.fetch()
            #expect(isNew, "\(step)")
            let (there, here) = (server.base.snapshot(), store.snapshot())
            #expect(
                JSONText.encodeOnOneLine(.dictionary(dictionary(there)))
                    == JSONText.encodeOnOneLine(.dictionary(dictionary(here)))
            )
            try await eventually("the observer is notified", count.count) { $0 >= index + 1 }
            #expect(count.count == index + 1)
        }
        observation.cancel()
    }

    private func dictionary(_ table: PropertyListTable) -> PropertyListDictionary {
        var values: PropertyListDictionary = [:]
        for (name, value) in table { values[name] = value }
        return values
    }
}
