@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// Servers of one source, with clocks that agree or with the numbers of the source.
@Suite
struct SeveralServersTests {
    /// The number of the source's state.
    private final class Source: Sendable {
        private let number = Locked<Int64>(0)

        var revision: Int64 { number.withLock(\.self) }

        func advance() { number.withLock { $0 += 1 } }
    }

    @Test(arguments: [false, true])
    func `a server that was not asked before has the number of the state that it reads`(_ isNumbered: Bool)
        async throws
    {
        let (clock, source) = (TestClock(), Source())
        var options = SettingsPublisherOptions()
        if isNumbered { options.revision = { source.revision } }
        let servers = try (0..<2).map { _ in
            try TestServer(key: .init(id: "a", rawRepresentation: Array(0..<32)), clock: clock, options: options)
        }
        _ = try await servers[0].document()
        func change(_ value: PropertyListValue) throws {
            clock.advance(by: 10)
            source.advance()
            for server in servers { try server.set(["limit": value]) }
        }
        try change(1)
        let transport = ScriptedTransport(to: servers[0].publisher)
        let store = try makeClient(of: servers[0], over: transport)
        try await store.fetch()
        try change(2)
        transport.connect(to: servers[1].publisher)
        try await store.fetch()
        #expect(store.snapshot() == ["limit": 2])
    }

    @Test func `a server that was not asked for a variant before has the time of the state that it reads`() async throws
    {
        let (clock, overlay) = (TestClock(), InMemoryStore())
        let servers = try (0..<2).map { _ in
            try TestServer(key: .init(id: "a", rawRepresentation: Array(0..<32)), clock: clock) { client in
                client.cohort == nil ? [] : [overlay]
            }
        }
        for server in servers { _ = try await server.document() }
        _ = try await servers[0].document("?cohort=x")
        func change(_ value: PropertyListValue) throws {
            clock.advance(by: 10)
            try overlay.apply(PropertyListBatch(setting: ["limit": value]))
        }
        try change(1)
        let transport = ScriptedTransport(to: servers[0].publisher)
        let store = try makeClient(of: servers[0], over: transport) { $0.client = RemoteClient(cohort: "x") }
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
        var options = SettingsPublisherOptions()
        options.maximumVariants = limit
        let source = Source()
        options.revision = { source.revision }
        let overlays = [InMemoryStore(), InMemoryStore()]
        let servers = try (0..<2).map { index in
            try TestServer(key: .init(id: "a", rawRepresentation: Array(0..<32)), options: options) { client in
                client.cohort == nil ? [] : [overlays[index]]
            }
        }
        for server in servers { _ = try await server.document() }
        _ = try await servers[0].document("?cohort=x")
        for index in 1...3 {
            source.advance()
            let value = PropertyListValue.integer(PropertyListInteger(index))
            for (server, overlay) in zip(servers, overlays) {
                try overlay.apply(PropertyListBatch(setting: ["title": .string("\(index)")]))
                try server.set(["limit": value])
            }
            #expect(servers.map(\.publisher.revision) == [Int64(index), Int64(index)])
        }
    }
}
