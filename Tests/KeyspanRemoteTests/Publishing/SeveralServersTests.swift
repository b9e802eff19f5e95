@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// Servers of one source, with clocks that agree or with the numbers of the source.
@Suite
struct SeveralServersTests {
    @Test(arguments: [false, true], [nil, "x"])
    func `a server that was not asked for a variant has the number or the time of the state that it reads`(
        _ isNumbered: Bool,
        _ cohort: String?
    ) async throws {
        let (clock, source, overlay) = (TestClock(), HostNumber(0), InMemoryStore())
        let options = isNumbered ? source.options : SettingsPublisherOptions()
        let servers = try (0..<2).map { _ in
            try TestServer(
                key: .init(id: "a", rawRepresentation: Array(0..<32)),
                clock: clock,
                options: options
            ) { $0.cohort == nil ? [] : [overlay] }
        }
        if cohort != nil { for server in servers { _ = try await server.document() } }
        _ = try await servers[0].document(cohort.map { "?cohort=\($0)" } ?? "")
        func change(_ value: PropertyListValue) throws {
            clock.advance(by: 10)
            source.value += 1
            for store in cohort == nil ? servers.map(\.base) : [overlay] {
                try store.apply(PropertyListBatch(.set(value, key: "limit")))
            }
        }
        try change(1)
        let transport = ScriptedTransport(to: servers[0].publisher)
        let store = try makeClient(of: servers[0], over: transport) { $0.client = RemoteClient(cohort: cohort) }
        try await store.fetch()
        try change(2)
        transport.connect(to: servers[1].publisher)
        try await store.fetch()
        #expect(store.snapshot() == ["limit": 2])
    }

    @Test func `a server that nobody has asked cannot lead a client back`() async throws {
        let clock = TestClock()
        let servers = try (0..<2).map { _ in
            try TestServer(key: .init(id: "a", rawRepresentation: Array(0..<32)), clock: clock)
        }
        _ = try await servers[0].document()
        clock.advance(by: 10)
        for server in servers { try server.set(["limit": 1]) }
        let old = try await servers[0].document()
        clock.advance(by: 10)
        for server in servers { try server.set(["limit": 2]) }
        let transport = ScriptedTransport(to: servers[1].publisher)
        let store = try makeClient(of: servers[0], over: transport)
        try await store.fetch()
        #expect(store.snapshot() == ["limit": 2])
        transport.fail(.body(old), .body(old))
        await #expect(throws: RemoteStoreError.self) { try await store.fetch() }
        #expect(store.snapshot() == ["limit": 2])
    }

    @Test(arguments: [64, 1])
    func `servers give one number of the source to one state, whichever variants they have`(_ limit: Int) async throws {
        let source = HostNumber(0)
        var options = source.options
        options.maximumVariants = limit
        let overlays = [InMemoryStore(), InMemoryStore()]
        let servers = try (0..<2).map { index in
            try TestServer(key: .init(id: "a", rawRepresentation: Array(0..<32)), options: options) { client in
                client.cohort == nil ? [] : [overlays[index]]
            }
        }
        for server in servers { _ = try await server.document() }
        _ = try await servers[0].document("?cohort=x")
        for index in 1...3 {
            source.value += 1
            let value = PropertyListValue.number(index)
            for (server, overlay) in zip(servers, overlays) {
                try overlay.apply(PropertyListBatch(setting: ["title": .string("\(index)")]))
                try server.set(["limit": value])
            }
            #expect(servers.map(\.publisher.revision) == [Int64(index), Int64(index)])
        }
    }
}
