#if RemoteHTTPClient && os(Linux)
import Foundation
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

    @Test func `the proxy answers clients with the document that it keeps`() async throws {
        let (server, http, proxy) = try await start(["limit": 1])
        for _ in 0..<6 {
            let client = try makeHTTPClient(of: server, port: proxy.port)
            _ = try await client.engine.request().value.get()
            #expect(client.snapshot() == ["limit": 1])
        }
        #expect(http.requests.count { $0.target == "/settings" } == 1)
        try await eventually("the log is written", proxy.log.count { $0.hasPrefix("/settings 200 HIT") }, is: 5)
        try await http.close()
    }

    @Test func `the proxy compresses the document, and answers by the tag that it has made weak`() async throws {
        let (_, http, proxy) = try await start(["title": .string(String(repeating: "a", count: 5_000))])
        let (transport, url) = (
            HTTPClientTransport(), try #require(URL(string: "http://127.0.0.1:\(proxy.port)/settings"))
        )
        func get(_ headers: [(name: String, value: String)]) async throws -> RemoteTransportResponse {
            let accepted = [(name: "Accept-Encoding", value: "gzip")]
            let response = try await transport.send(RemoteTransportRequest(url: url, headers: accepted + headers))
            for try await _ in response.body {}
            return response
        }
        let response = try await get([])
        let tag = try #require(response.header("etag"))
        #expect(response.status == 200 && response.header("content-encoding") == "gzip" && tag.hasPrefix("W/"))
        #expect(try await get([(name: "If-None-Match", value: tag)]).status == 304)
        // Past the cache, the server understands the weak tag as well.
        let again = try await get([(name: "If-None-Match", value: tag), (name: "Cache-Control", value: "no-cache")])
        #expect(again.status == 304)
        try await http.close()
    }

    @Test func `the proxy asks with the tag when its document is old, and clients with theirs`() async throws {
        let (server, http, proxy) = try await start(["limit": 1], maximumAge: .seconds(1))
        let client = try makeHTTPClient(of: server, port: proxy.port)
        try await request(by: client) { http.requests.contains { $0.isConditional && $0.status == 304 } }
        try await eventually("the log is written", proxy.log) { log in
            log.contains { $0.hasPrefix("/settings 304 REVALIDATED") }
        }
        // Caches in between pass this one on.
        server.defaults[TestKeys.limit] = 2
        #expect(try await client.fetch())
        #expect(client.snapshot() == ["limit": 2])
        try await http.close()
    }

    @Test func `clients start while the server is away, with the document of the proxy`() async throws {
        let (server, http, proxy) = try await start(["limit": 1], maximumAge: .seconds(1))
        let first = try makeHTTPClient(of: server, port: proxy.port)
        #expect(try await first.engine.request().value.get())
        try await http.close()
        try await request(by: first) { proxy.log.contains { $0.contains(" STALE ") } }
        let client = try makeHTTPClient(of: server, port: proxy.port)
        await #expect(throws: Never.self, "\(proxy.log)") { try await client.engine.request().value.get() }
        #expect(client.snapshot() == ["limit": 1])
        try await eventually("the log is written", proxy.log) { log in
            log.contains { $0.hasPrefix("/settings 200 STALE") }
        }
    }

    /// Asks for the document until a request of a kind is noted: nginx counts whole seconds.
    private func request(by client: RemoteStore, until isNoted: () -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(60)
        repeat {
            _ = try await client.engine.request().value.get()
        } while !isNoted() && ContinuousClock.now < end
        try #require(isNoted(), "no such request was noted")
    }

    @Test func `changes come through the proxy, and the stream goes on when it starts anew`() async throws {
        let (server, http, proxy) = try await start(["limit": 1])
        let client = try makeHTTPClient(of: server, port: proxy.port)
        client.isLive = true
        try await eventually("the client follows") { client.status.isLive }
        for value in 2...20 {
            server.defaults[TestKeys.limit] = value
            if value.isMultiple(of: 5) { proxy.reload() }
            try await eventually("the change has arrived", client.snapshot(), is: ["limit": .number(value)])
        }
        client.isLive = false
        try await http.close()
    }

    @Test(arguments: [false, true], 0..<rounds)
    func `clients show whole states in their order through a proxy and a network that cuts, drips and damages`(
        isLive: Bool,
        _ round: Int
    ) async throws {
        var random = SeededGenerator(seed: SeededGenerator.seedOfRun &+ UInt64(round))
        let (server, http, proxy) = try await start(["limit": 0, "title": "0"], maximumAge: .seconds(1))
        let faults = (0..<10_000).map { _ in Self.fault(&random) }
        let transport = ScriptedTransport(over: HTTPClientTransport(connectTimeout: .seconds(60)), faults)
        let url = "http://127.0.0.1:\(proxy.port)/settings"
        let client = try makeClient(of: server, over: transport, url: url) { $0.isLive = isLive }
        let shown = Recorder<PropertyListTable>()
        let observation = client.observe(.all, initial: false) { [weak client] _ in
            if let client { shown.record(client.snapshot()) }
        }
        for number in 1...Self.batches {
            try server.set([
                "limit": .number(number), "title": .string("\(number)"),
            ])
            if !isLive || number.isMultiple(of: 8) { _ = try? await client.engine.request().value.get() }
            // A pace at which some batches share an event, and some do not.
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...20, using: &random)))
        }
        transport.clear()
        let last = server.base.snapshot()
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
        try await http.close()
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

    private func start(
        _ values: PropertyListTable,
        maximumAge: Duration = .seconds(60)
    ) async throws -> (TestServer, HTTPServer, CachingProxy) {
        let options = SettingsPublisherOptions { ($0.maximumAge, $0.heartbeat) = (maximumAge, .milliseconds(200)) }
        let server = try TestServer(values, options: options)
        let http = try await HTTPServer.start(server.publisher)
        return (server, http, try await CachingProxy.start(to: http.port))
    }
}
#endif
