#if RemoteHTTPClient && os(Linux)
import Foundation
import HTTPTypes
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// A publisher behind nginx, which keeps its documents.
@Suite(.bounded, .enabled(if: CachingProxy.isInstalled, "nginx is not installed"), .serialized, .seeded)
struct CachingProxyTests {
    private static let rounds = TestLevel.current.pick(1, thorough: 8)
    private static let batches = TestLevel.current.pick(60, thorough: 400)

    /// A publisher, its server, the proxy in front of it, and a connection to that.
    private struct Setup {
        let server: TestServer
        let http: HTTPServer
        let proxy: CachingProxy
        private let transport = HTTPClientTransport(connectTimeout: .seconds(60))

        init(
            _ values: PropertyListTable,
            _ kind: CachingProxy.Kind = .documented,
            maximumAge: Duration = .seconds(60),
            groups: [String: [any PropertyListStore]] = [:],
            group: @escaping @Sendable (ClientTraits) -> String = { _ in "all" }
        ) async throws {
            let options = SettingsPublisherOptions { ($0.maximumAge, $0.heartbeat) = (maximumAge, .milliseconds(200)) }
            server = try TestServer(values, groups: groups, options: options, group: group)
            http = try await HTTPServer.start(server.publisher)
            proxy = try await CachingProxy.start(kind, to: http.port)
        }

        func client(
            times: ManualClock = ManualClock(),
            _ change: (inout RemoteStoreOptions) -> Void = { _ in }
        ) throws -> RemoteStore {
            try makeHTTPClient(of: server, port: proxy.port, times: times, change)
        }

        /// The requests that have reached the server.
        func requests(_ path: String = "/settings/all") -> [HTTPServer.Request] {
            http.requests.filter { $0.target == path }
        }

        /// The answer of the proxy.
        func get(
            _ path: String = "/settings/all",
            _ fields: HTTPFields = [:]
        ) async throws -> (head: HTTPResponse, bytes: [UInt8]) {
            let authority = "127.0.0.1:\(proxy.port)"
            let request = HTTPRequest(
                method: .get,
                scheme: "http",
                authority: authority,
                path: path,
                headerFields: fields
            )
            let (head, body) = try await transport.send(request)
            var bytes: [UInt8] = []
            for try await chunk in body { bytes += chunk }
            return (head, bytes)
        }

        /// Asks for the document until the proxy notes a request of a kind: it counts whole seconds.
        func ask(until line: String, _ request: () async throws -> Void) async throws {
            let end = ContinuousClock.now + .seconds(60)
            while !proxy.log.contains(where: { $0.hasPrefix(line) }), ContinuousClock.now < end { try await request() }
            try #require(proxy.log.contains { $0.hasPrefix(line) }, "no such request was noted: \(proxy.log.suffix(5))")
        }
    }

    // MARK: - Documents

    @Test func `the proxy answers clients with the document that it keeps`() async throws {
        let setup = try await Setup(["limit": 1])
        for _ in 0..<6 {
            let client = try setup.client()
            _ = try await client.engine.request().value.get()
            #expect(client.snapshot() == ["limit": 1])
        }
        #expect(setup.requests().count == 1)
        // The query of a document means nothing.
        #expect(try await setup.get("/settings/all?x=1").bytes == (try setup.server.document()))
        try await eventually(
            "the log is written",
            setup.proxy.log.map { $0.split(separator: " ").prefix(3).joined(separator: " ") },
            is: ["/settings/all 200 MISS"] + Array(repeating: "/settings/all 200 HIT", count: 5)
                + ["/settings/all?x=1 200 HIT"]
        )
        try await setup.http.close()
    }

    @Test func `the proxy keeps a document under its tag, also when it was replaced`() async throws {
        let setup = try await Setup(["limit": 1])
        let (path, bytes) = (try setup.server.path(ofDocument: "all"), try setup.server.document())
        for _ in 0..<3 { #expect(try await setup.get(path).bytes == bytes) }
        setup.server.defaults[TestKeys.limit] = 2
        let (head, kept) = try await setup.get(path)
        #expect(kept == bytes && head.headerFields[.cacheControl]?.hasSuffix(", immutable") == true)
        #expect(setup.requests(path).count == 1)
        // A document that is gone is asked for again each time: the server may not have it yet.
        let other = try setup.server.path(ofDocument: "all") + ".x"
        for _ in 0..<2 { #expect(try await setup.get(other).head.status == .notFound) }
        #expect(setup.requests(other).count == 2)
        try await setup.http.close()
    }

    @Test func `groups are kept apart`() async throws {
        let setup = try await Setup(["limit": 1], groups: ["x": [InMemoryStore(["limit": 2])]])
        for _ in 0..<2 {
            for (group, limit) in [("all", 1), ("x", 2)] {
                let client = try setup.client { $0.group = .named(group) }
                _ = try await client.engine.request().value.get()
                #expect(client.snapshot() == ["limit": .number(limit)])
            }
        }
        #expect(setup.requests().count == 1 && setup.requests("/settings/x").count == 1)
        try await setup.http.close()
    }

    @Test func `the proxy compresses the document, and answers by the tag that it has made weak`() async throws {
        let setup = try await Setup(["title": .string(String(repeating: "a", count: 5_000))])
        let path = try setup.server.path(ofDocument: "all")
        for path in ["/settings/all", path] {
            let (head, bytes) = try await setup.get(path, [.acceptEncoding: "gzip"])
            let tag = try #require(head.headerFields[.eTag])
            #expect(head.status == .ok && head.headerFields[.contentEncoding] == "gzip" && bytes.count < 1_000)
            #expect(tag.hasPrefix("W/") && head.headerFields[.vary] == "Accept-Encoding")
            let fields: HTTPFields = [.acceptEncoding: "gzip", .ifNoneMatch: tag]
            #expect(try await setup.get(path, fields).head.status == .notModified)
        }
        // Past the cache, the server understands the weak tag as well.
        let tag = "W/\(try setup.server.tag().entityTag)"
        let again = try await setup.get("/settings/all", [.ifNoneMatch: tag, .cacheControl: "no-cache"])
        #expect(again.head.status == .notModified)
        // A client that accepts no compression receives the text.
        #expect(try await setup.get().bytes == (try setup.server.document()))
        try await setup.http.close()
    }

    @Test func `the proxy asks with the tag when its document is old, and clients with theirs`() async throws {
        let setup = try await Setup(["limit": 1], maximumAge: .seconds(1))
        let client = try setup.client()
        try await setup.ask(until: "/settings/all 304 REVALIDATED") {
            _ = try await client.engine.request().value.get()
        }
        #expect(setup.requests().contains { $0.isConditional && $0.status == 304 })
        // Caches in between pass this one on.
        setup.server.defaults[TestKeys.limit] = 2
        #expect(try await client.fetch())
        #expect(client.snapshot() == ["limit": 2])
        try await setup.http.close()
    }

    @Test func `the proxy takes the answer to a request past it for later ones`() async throws {
        let setup = try await Setup(["limit": 1])
        let (first, second) = (try setup.client(), try setup.client())
        _ = try await first.engine.request().value.get()
        setup.server.defaults[TestKeys.limit] = 2
        _ = try await second.engine.request().value.get()
        #expect(second.snapshot() == ["limit": 1])
        try await first.fetch()
        _ = try await second.engine.request().value.get()
        #expect(first.snapshot() == ["limit": 2] && second.snapshot() == ["limit": 2])
        #expect(setup.requests().count == 2)
        try await setup.http.close()
    }

    @Test func `clients start while the server is away, with the document of the proxy`() async throws {
        let setup = try await Setup(["limit": 1], maximumAge: .seconds(1))
        let first = try setup.client()
        #expect(try await first.engine.request().value.get())
        try await setup.http.close()
        try await setup.ask(until: "/settings/all 304 STALE") { _ = try await first.engine.request().value.get() }
        let client = try setup.client()
        await #expect(throws: Never.self, "\(setup.proxy.log)") { try await client.engine.request().value.get() }
        #expect(client.snapshot() == ["limit": 1])
        try await eventually("the log is written", setup.proxy.log) { log in
            log.contains { $0.hasPrefix("/settings/all 200 STALE") }
        }
    }

    @Test func `a closed publisher is away for the proxy too`() async throws {
        let setup = try await Setup(["limit": 1], maximumAge: .seconds(1))
        #expect(try await setup.get().head.status == .ok)
        setup.server.publisher.close()
        try await setup.ask(until: "/settings/all 200 STALE") { _ = try await setup.get() }
        #expect(try await setup.get("/settings/x").head.status == .notFound)
        #expect(try await setup.get("/settings").head.status == .serviceUnavailable)
        try await setup.http.close()
    }

    // MARK: - Redirections

    @Test(arguments: CachingProxy.Kind.allCases)
    func `no proxy mixes groups, even if it ignores the query`(_ kind: CachingProxy.Kind) async throws {
        let groups = ["x": [InMemoryStore(["limit": 2])], "y": [InMemoryStore(["limit": 3])]]
        let setup = try await Setup(["limit": 1], kind, groups: groups) { $0.cohort ?? "all" }
        for round in 0..<2 {
            for (cohort, limit) in [("x", 2), ("y", 3), (nil, 1)] {
                let path = "/settings\(cohort.map { "?cohort=\($0)" } ?? "")"
                let (head, _) = try await setup.get(path)
                #expect(head.status == .temporaryRedirect)
                // Relative, so that it holds for the URL of the proxy.
                #expect(head.headerFields[.location] == "settings/\(cohort ?? "all")")
                let client = try setup.client { $0.group = .assigned(to: ClientTraits(cohort: cohort)) }
                _ = try await client.engine.request().value.get()
                #expect(client.snapshot() == ["limit": .number(limit)])
                #expect(client.status.group == cohort ?? "all")
                // One request of the test and one of the client, none of which the proxy has answered.
                #expect(setup.requests(path).count == 2 * (round + 1))
            }
        }
        for group in ["all", "x", "y"] { #expect(setup.requests("/settings/\(group)").count == 1) }
        try await setup.http.close()
    }

    // MARK: - Streams

    @Test func `events pass the proxy one by one, and none is kept`() async throws {
        let setup = try await Setup(["limit": 1])
        let request = HTTPRequest(
            method: .get,
            scheme: "http",
            authority: "127.0.0.1:\(setup.proxy.port)",
            path: "/settings/all/changes"
        )
        let transport = HTTPClientTransport(connectTimeout: .seconds(60))
        for first in [1, 11] {
            let (head, body) = try await transport.send(request)
            #expect(head.status == .ok && head.headerFields[.contentType] == "text/event-stream")
            var (chunks, reader) = (body.makeAsyncIterator(), EventReader(limit: 1 << 16))
            for value in first..<first + 5 {
                setup.server.defaults[TestKeys.limit] = value
                let tag = try setup.server.tag().text
                var last: Substring?
                while last != tag[...], let chunk = try await chunks.next() {
                    for data in try reader.read(chunk) { last = data.split(separator: " ").first }
                }
                #expect(last == tag[...])
            }
        }
        #expect(setup.requests("/settings/all/changes").count == 2)
        try await setup.http.close()
    }

    /// Lets the time of clients pass, a second each 20 ms.
    private func passTime(_ times: ManualClock) -> Task<Void, Never> {
        Task {
            // The pace of their time.
            while (try? await Task.sleep(for: .milliseconds(20))) != nil { times.advance(by: .seconds(1)) }
        }
    }

    @Test func `changes come through the proxy, and the stream goes on when it starts anew`() async throws {
        let setup = try await Setup(["limit": 1])
        let times = ManualClock()
        let (client, passing) = (try setup.client(times: times), passTime(times))
        defer { passing.cancel() }
        client.isLive = true
        try await eventually("the client follows") { client.status.isLive }
        for value in 2...20 {
            setup.server.defaults[TestKeys.limit] = value
            if value.isMultiple(of: 5) { setup.proxy.reload() }
            try await eventually("the change has arrived", client.snapshot(), is: ["limit": .number(value)])
        }
        client.isLive = false
        try await setup.http.close()
    }

    @Test(arguments: [false, true], 0..<rounds)
    func `clients show whole states in their order through a proxy and a network that cuts, drips and damages`(
        isLive: Bool,
        _ round: Int
    ) async throws {
        var random = SeededGenerator(seed: SeededGenerator.seedOfRun &+ UInt64(round))
        let setup = try await Setup(["limit": 0, "title": "0"], maximumAge: .seconds(1))
        let faults = (0..<10_000).map { _ in Self.fault(&random) }
        let times = ManualClock()
        let transport = ScriptedTransport(over: HTTPClientTransport(connectTimeout: .seconds(60)), faults, clock: times)
        let url = "http://127.0.0.1:\(setup.proxy.port)/settings"
        let client = try makeClient(of: setup.server, over: transport, url: url, times: times) { $0.isLive = isLive }
        let passing = passTime(times)
        defer { passing.cancel() }
        let shown = Recorder<PropertyListTable>()
        let observation = client.observe(.all, initial: false) { [weak client] _ in
            if let client { shown.record(client.snapshot()) }
        }
        for number in 1...Self.batches {
            try setup.server.set(["limit": .number(number), "title": .string("\(number)")])
            if !isLive || number.isMultiple(of: 8) { _ = try? await client.engine.request().value.get() }
            // A pace at which some batches share an event, and some do not.
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...20, using: &random)))
        }
        transport.clear()
        let last = setup.server.base.snapshot()
        if isLive {
            // A damaged line can hide an event for as long as the stream is open.
            client.isLive = false
            client.isLive = true
        } else {
            try await client.fetch()
        }
        try await eventually("the client shows the last state", client.snapshot(), is: last)
        observation.cancel()
        var place = 0
        for table in shown.values {
            guard case .string(let title)? = table["title"], let number = Int(title) else {
                Issue.record("a state that was never published: \(table)")
                return
            }
            #expect(table["limit"] == .number(number), "a batch was taken in part: \(table)")
            #expect(number >= place, "an older state came after a newer one")
            place = number
        }
        client.isLive = false
        try await setup.http.close()
    }

    private static func fault(_ random: inout SeededGenerator) -> ScriptedTransport.Fault {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: .unreachable
        case 1, 2: .cut(after: Int.random(in: 0..<1_500, using: &random), throwing: Bool.random(using: &random))
        case 3: .drip(Int.random(in: 1...50, using: &random))
        case 4: .flip(at: Int.random(in: 0..<1_500, using: &random))
        default: .none
        }
    }
}
#endif
