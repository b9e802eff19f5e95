#if Remote
import Foundation
import HTTPTypes
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// When values come into force, and what a restart finds.
@Suite
struct RemoteStorePolicyTests {
    private typealias Activation = RemoteStoreOptions.Activation

    private func store(
        _ server: TestServer,
        _ activation: Activation,
        _ cache: String,
        offline isOffline: Bool = false,
        clock: TestClock = TestClock()
    ) throws -> RemoteStore {
        let transport = ScriptedTransport(to: isOffline ? nil : server.publisher)
        return try makeClient(of: server, over: transport, cache: cache, clock: clock) { $0.activation = activation }
    }

    @Test func `immediate values are there after a restart without the server`() async throws {
        let (folder, server) = (try TemporaryFolder(), try TestServer(["limit": 1]))
        let cache = folder.path("new/cache")
        do {
            let store = try store(server, .immediately, cache)
            try await store.fetch()
            #expect(store.snapshot() == ["limit": 1])
        }
        let clock = TestClock()
        // Long after the document has expired.
        clock.advance(by: 400 * 86_400)
        let restarted = try store(server, .immediately, cache, offline: true, clock: clock)
        #expect(restarted.snapshot() == ["limit": 1])
        #expect(restarted.status.revision == server.publisher.revision)
        #expect(restarted.provenance(forKey: "limit")?.description.hasSuffix("400 days ago") == true)
        await #expect(throws: RemoteStoreError.self) { try await restarted.fetch() }
        #expect(restarted.snapshot() == ["limit": 1])
    }

    @Test func `values for the next launch come into force there only`() async throws {
        let (folder, server) = (try TemporaryFolder(), try TestServer(["limit": 1]))
        let cache = folder.path("cache")
        do {
            let store = try store(server, .onNextLaunch, cache)
            #expect(try await store.fetch())
            #expect(store.snapshot().isEmpty && store.status.isActivationPending)
            #expect(store.status.fetchedRevision == server.publisher.revision && store.status.revision == nil)
        }
        server.defaults[TestKeys.limit] = 2
        do {
            let store = try store(server, .onNextLaunch, cache)
            #expect(store.snapshot() == ["limit": 1] && !store.status.isActivationPending)
            try await store.fetch()
            #expect(store.snapshot() == ["limit": 1] && store.status.isActivationPending)
        }
        #expect(try store(server, .onNextLaunch, cache, offline: true).snapshot() == ["limit": 2])
    }

    @Test func `values that the program activates stay as they are through restarts`() async throws {
        let (folder, server) = (try TemporaryFolder(), try TestServer(["limit": 1]))
        let cache = folder.path("cache")
        do {
            let store = try store(server, .manually, cache)
            #expect(!store.activate())
            try await store.fetch()
            #expect(store.snapshot().isEmpty)
        }
        do {
            // Fetched and never activated.
            let store = try store(server, .manually, cache, offline: true)
            #expect(store.snapshot().isEmpty && store.status.isActivationPending)
            let changes = Locked<[PropertyListChange]>([])
            let observation = store.observe(.all, initial: false) { change in changes.withLock { $0.append(change) } }
            #expect(store.activate() && !store.activate())
            #expect(changes.withLock(\.count) == 1)
            #expect(store.snapshot() == ["limit": 1])
            try await store.synchronize()
            observation.cancel()
        }
        try server.set(["limit": 2, "title": "b"])
        do {
            let store = try store(server, .manually, cache)
            #expect(store.snapshot() == ["limit": 1] && !store.status.isActivationPending)
            try await store.fetch()
            #expect(store.snapshot() == ["limit": 1])
        }
        do {
            let store = try store(server, .manually, cache, offline: true)
            #expect(store.snapshot() == ["limit": 1] && store.status.isActivationPending)
            #expect(store.activate())
            #expect(store.snapshot() == ["limit": 2, "title": "b"])
            try await store.synchronize()
        }
        #expect(try store(server, .manually, cache, offline: true).snapshot() == ["limit": 2, "title": "b"])
    }

    @Test func `values that return to those in force need no activation`() async throws {
        let server = try TestServer(["limit": 1])
        let store = try makeClient(of: server) { $0.activation = .manually }
        try await store.fetch()
        #expect(store.activate())
        server.defaults[TestKeys.limit] = 2
        try await store.fetch()
        #expect(store.status.isActivationPending)
        server.defaults[TestKeys.limit] = 1
        try await store.fetch()
        #expect(!store.status.isActivationPending && !store.activate())
        #expect(store.status.revision == server.publisher.revision)
    }

    @Test func `a restarted client asks for what it does not have`() async throws {
        let (folder, server) = (try TemporaryFolder(), try TestServer(["limit": 1]))
        let cache = folder.path("cache")
        try await store(server, .immediately, cache).fetch()
        let transport = ScriptedTransport(to: server.publisher)
        let store = try makeClient(of: server, over: transport, cache: cache)
        #expect(try await store.fetch() == false)
        #expect(transport.requests.first?.headerFields[.ifNoneMatch] != nil)
    }

    @Test func `a restarted client refuses an older revision`() async throws {
        let (folder, clock, key) = (try TemporaryFolder(), TestClock(), try SigningKey.generate(id: "a"))
        let old = try TestServer(["limit": 1], key: key, clock: clock).document()
        clock.advance(by: 10)
        let server = try TestServer(["limit": 2], key: key, clock: clock)
        let cache = folder.path("cache")
        try await store(server, .immediately, cache).fetch()
        let store = try makeClient(
            of: server,
            over: ScriptedTransport(to: server.publisher, [.body(old)]),
            cache: cache
        )
        await #expect(throws: RemoteStoreError.self) { try await store.fetch() }
        #expect(store.snapshot() == ["limit": 2])
    }

    // MARK: - Damage

    @Test func `a cache that differs in any bit or ends early is reported and ignored`() async throws {
        let (folder, server) = (try TemporaryFolder(), try TestServer(["limit": 1]))
        let cache = folder.path("cache")
        do {
            let store = try store(server, .manually, cache)
            try await store.fetch()
            store.activate()
            server.defaults[TestKeys.limit] = 2
            try await store.fetch()
            #expect(store.status.isActivationPending)
            try await store.synchronize()
        }
        let bytes = Array(try Data(contentsOf: URL(filePath: cache)))
        let states: [PropertyListTable] = [["limit": 1], [:]]
        let step = TestLevel.current.pick(11, thorough: 1)
        for offset in stride(from: 0, to: bytes.count, by: step) {
            for damaged in [bytes.flipped(at: offset), Array(bytes.prefix(offset))] {
                try Data(damaged).write(to: URL(filePath: cache))
                let problems = Problems()
                let store = try problems.collect { try self.store(server, .manually, cache, offline: true) }
                #expect(states.contains(store.snapshot()))
                // The file of another server is none.
                let isOther = !String(decoding: damaged, as: UTF8.self).contains("\"server\": \"\(store.name)\"")
                let isReported = problems.kinds == ["cacheFailed"]
                #expect(isReported || problems.kinds.isEmpty && (!store.snapshot().isEmpty || isOther))
                #expect(!isReported || store.snapshot().isEmpty)
            }
        }
    }

    @Test func `a cache of a key that is no longer known is ignored`() async throws {
        let (folder, server) = (try TemporaryFolder(), try TestServer(["limit": 1]))
        let cache = folder.path("cache")
        try await store(server, .immediately, cache).fetch()
        let problems = Problems()
        let other = try SigningKey.generate(id: "other").verificationKey
        let store = try problems.collect { try makeClient(of: server, verificationKeys: [other], cache: cache) }
        #expect(store.snapshot().isEmpty && problems.kinds == [])
    }

    @Test func `a cache that cannot be written is reported once, and the values are in force`() async throws {
        let (folder, server) = (try TemporaryFolder(), try TestServer(["limit": 1]))
        let cache = try folder.write("", to: "file") + "/cache"
        let problems = Problems()
        let store = try problems.collect { try self.store(server, .immediately, cache) }
        for value in [2, 3] {
            server.defaults[TestKeys.limit] = value
            _ = try await problems.collect { Task { try await store.fetch() } }.value
            #expect(store.snapshot() == ["limit": .number(value)])
        }
        #expect(problems.kinds.count { $0 == "cacheFailed" } <= 2)
        await #expect(throws: StoreError.self) { try await store.synchronize() }
    }
}
#endif
