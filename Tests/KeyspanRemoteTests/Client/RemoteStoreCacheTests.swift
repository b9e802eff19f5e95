#if Remote
import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// When the cache file is written, and what happens if it cannot be.
@Suite
struct RemoteStoreCacheTests {
    @Test func `a handler of problems may wait for the cache`() async throws {
        let (folder, server) = (try TemporaryFolder(), try TestServer(["limit": 1]))
        let store = try makeClient(of: server, cache: folder.path("sub/cache")) { $0.activation = .manually }
        try await store.fetch()
        try FileManager.default.removeItem(atPath: folder.path("sub"))
        _ = try folder.write("", to: "sub")
        let failures = Recorder<Void>()
        let handle: @Sendable (Defaults.Problem) -> Void = { _ in
            do {
                try store.synchronize()
            } catch {
                failures.record(())
            }
        }
        _ = Defaults.withProblemHandler(handle) { store.activate() }
        try await eventually("the handler has failed", failures.count, is: 1)
        #expect(throws: StoreError.self) { try store.engine.saveCache() }
    }

    @Test func `a store whose cache has no valid path is not durable`() async throws {
        let server = try TestServer(["limit": 1])
        let problems = Problems()
        let store = try problems.collect { try makeClient(of: server, cache: "") }
        try await store.fetch()
        #expect(problems.kinds == ["cacheFailed"] && store.snapshot() == ["limit": 1])
        let error = await #expect(throws: StoreError.self) { try await store.synchronize() }
        #expect(error?.code == .notDurable)
        try await makeClient(of: server).synchronize()
    }

    @Test func `a confirmation is written at most once an hour`() async throws {
        let (folder, server, clock) = (try TemporaryFolder(), try TestServer(["limit": 1]), TestClock())
        let cache = folder.path("cache")
        let store = try makeClient(of: server, cache: cache, clock: clock)
        try await store.fetch()
        try FileManager.default.removeItem(atPath: cache)
        for (seconds, isWritten) in [(0.0, false), (3_599, false), (1, true)] {
            clock.advance(by: seconds)
            #expect(try await store.fetch() == false)
            try await store.synchronize()
            #expect(FileManager.default.fileExists(atPath: cache) == isWritten)
            #expect(store.status.lastProof == clock.now)
        }
    }

    @Test(arguments: [RemoteStoreOptions.Activation.immediately, .manually])
    func `two stores with one cache file keep the newer version`(
        _ activation: RemoteStoreOptions.Activation
    ) async throws {
        let (folder, server) = (try TemporaryFolder(), try TestServer())
        let cache = folder.path("cache")
        func makeStore() throws -> RemoteStore {
            try makeClient(of: server, over: ScriptedTransport(to: nil), cache: cache) { $0.activation = activation }
        }
        let (slow, fast) = (try makeStore(), try makeStore())
        _ = try await slow.engine.take(server.sign(["limit": 1], revision: 1))
        _ = try await fast.engine.take(server.sign(["limit": 3], revision: 3))
        fast.activate()
        try await fast.synchronize()
        _ = try await slow.engine.take(server.sign(["limit": 2], revision: 2))
        slow.activate()
        try await slow.synchronize()
        let restarted = try makeStore()
        #expect(restarted.status.fetchedRevision == 3 && restarted.snapshot() == ["limit": 3])
        // A forged file decides nothing.
        let forged = try TestServer().sign(["limit": 9], revision: 9)
        _ = try folder.write(Self.file(forged), to: "cache")
        _ = try await slow.engine.take(server.sign(["limit": 4], revision: 4))
        slow.activate()
        try await slow.synchronize()
        #expect(try makeStore().snapshot() == ["limit": 4])
    }

    @Test func `a cache that is a pipe is reported`() async throws {
        let (server, folder) = (try TestServer(["limit": 1]), try TemporaryFolder())
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        let isDone = Locked(false)
        Thread.detachNewThread {
            _ = try? makeClient(of: server, cache: folder.path("pipe"))
            isDone.withLock { $0 = true }
        }
        try await eventually("the pipe has been refused") { isDone.withLock(\.self) }
        for path in ["/dev/zero", "/dev/full", "/proc/self/mem", "/"] {
            let store = try makeClient(of: server, cache: path)
            try await store.fetch()
            #expect(store.snapshot() == ["limit": 1])
            #expect(throws: StoreError.self) { try store.engine.saveCache() }
        }
    }

    @Test func `a cache of another URL does not keep a client from its server`() async throws {
        let (clock, folder) = (TestClock(), try TemporaryFolder())
        let production = try TestServer(
            ["limit": 1],
            key: .init(id: "a", rawRepresentation: Array(0..<32)),
            clock: clock
        )
        clock.advance(by: 100)
        let staging = try TestServer(["limit": 9], key: .init(id: "a", rawRepresentation: Array(0..<32)), clock: clock)
        try await makeClient(of: staging, cache: folder.path("cache")).fetch()
        let url = "https://production.test/settings"
        let store = try Problems().collect {
            try makeClient(of: production, url: url, cache: folder.path("cache"), clock: clock)
        }
        _ = try? await store.fetch()
        #expect(store.snapshot() == ["limit": 1])
    }

    /// Files that are not damaged, and have nothing for this client.
    enum Foreign: CaseIterable {
        case otherServer, otherGroup
    }

    @Test(arguments: Foreign.allCases) func `a file with nothing for this client counts as none, and is replaced`(
        _ foreign: Foreign
    ) async throws {
        let (folder, beta) = (try TemporaryFolder(), InMemoryStore())
        let server = try TestServer(["limit": 1], groups: ["beta": [beta]])
        let (cache, problems) = (folder.path("cache"), Problems())
        func makeStore(_ group: String, url: String = "https://settings.test/settings") throws -> RemoteStore {
            try problems.collect {
                try makeClient(of: server, url: url, cache: cache) { $0.group = .named(group) }
            }
        }
        let other = foreign == .otherServer ? "https://other.test/settings" : "https://settings.test/settings"
        let first = try makeStore(foreign == .otherGroup ? "beta" : "all", url: other)
        try await first.fetch()
        try await first.synchronize()
        let store = try makeStore("all")
        #expect(store.snapshot() == [:] && store.status.revision == nil && store.status.lastProof == nil)
        try await store.fetch()
        try await store.synchronize()
        #expect(try makeStore("all").snapshot() == ["limit": 1])
        #expect(problems.kinds == [])
    }

    @Test func `a client that the server assigns starts from its cache with the group of before`() async throws {
        let (folder, beta) = (try TemporaryFolder(), InMemoryStore())
        try beta.apply(PropertyListBatch(setting: ["limit": 5]))
        let server = try TestServer(["limit": 1], groups: ["beta": [beta]]) { _ in "beta" }
        func makeStore(to publisher: SettingsPublisher?) throws -> RemoteStore {
            try makeClient(of: server, over: ScriptedTransport(to: publisher), cache: folder.path("cache")) {
                $0.group = .assigned(to: ClientTraits(cohort: "x"))
            }
        }
        let first = try makeStore(to: server.publisher)
        #expect(first.status.group == nil)
        try await first.fetch()
        try await first.synchronize()
        let second = try makeStore(to: nil)
        #expect(second.snapshot() == ["limit": 5] && second.status.group == "beta")
        #expect(second.status.lastProof != nil && second.status.lastProof == first.status.lastProof)
    }

    @Test(arguments: ["keyspan-remote-cache 1\n{\"active\": 0}\n", "", "{", "[]", "\u{0}", "a: 1\n"])
    func `a file of another form is reported and left alone`(_ text: String) async throws {
        let (folder, server, problems) = (try TemporaryFolder(), try TestServer(["limit": 1]), Problems())
        let path = try folder.write(text, to: "cache")
        let store = try problems.collect { try makeClient(of: server, cache: path) }
        #expect(problems.kinds == ["cacheFailed"] && store.snapshot() == [:])
        try await store.fetch()
        #expect(store.snapshot() == ["limit": 1])
        #expect(throws: StoreError.self) { try store.engine.saveCache() }
        #expect(try folder.text(of: "cache") == text)
    }

    @Test(arguments: [
        "{}", "{\"keyspan.remote.server\": 5}",
        "{\"keyspan.remote.server\": \"remote https://settings.test/settings\"}",
        file([]), file(Array("keyspan-settings 2 a b\n{}".utf8)), file([], server: "remote https://other.test/"),
        file([]).replacing("\"\"", with: "{}"), file([]).replacing("\"\"", with: "5"),
    ])
    func `a file without a document that is verified counts as none, and is replaced`(_ text: String) async throws {
        let (folder, server, problems) = (try TemporaryFolder(), try TestServer(["limit": 1]), Problems())
        let path = try folder.write(text, to: "cache")
        let store = try problems.collect { try makeClient(of: server, cache: path) }
        #expect(store.snapshot() == [:] && store.status.revision == nil && problems.kinds == [])
        try await store.fetch()
        try await store.synchronize()
        let restarted = try problems.collect {
            try makeClient(of: server, over: ScriptedTransport(to: nil), cache: path)
        }
        #expect(restarted.snapshot() == ["limit": 1] && problems.kinds == [])
    }

    /// The text of a file with a document.
    private static func file(_ document: [UInt8], server: String = "remote https://settings.test/settings")
        -> String
    {
        let text = PropertyListValue.string(String(decoding: document, as: UTF8.self))
        let members: PropertyListDictionary = [
            "keyspan.remote.server": .string(server), "keyspan.remote.active": text, "keyspan.remote.fetched": text,
        ]
        return String(decoding: JSONText.encodeOnOneLine(.dictionary(members)), as: UTF8.self)
    }
}
#endif
