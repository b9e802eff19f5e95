#if Remote || canImport(CryptoKit)
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTesting
import Testing

@testable import KeyspanRemote

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// When the cache file is written, and what happens if it cannot be.
@Suite
struct RemoteStoreCacheTests {
    @Test func `a handler of problems may wait for the cache`() async throws {
        let (folder, server) = (try TemporaryFolder(), try TestServer(["limit": 1]))
        let store = try makeClient(of: server, cache: folder.path("sub/cache")) { $0.activation = .manually }
        try await store.fetch()
        try FileManager.default.removeItem(atPath: folder.path("sub"))
        _ = try folder.write("", to: "sub")
        let failures = Counter()
        let handle: @Sendable (Defaults.Problem) -> Void = { _ in
            do {
                try store.synchronize()
            } catch {
                failures.add()
            }
        }
        _ = Defaults.withProblemHandler(handle) { store.activate() }
        #expect(throws: StoreError.self) { try store.engine.waitForCache() }
        try await eventually { failures.count == 1 }
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
            #expect(store.status.lastContact == clock.now)
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
        _ = try await slow.engine.take(server.sign(.document, ["limit": 1], revision: 1))
        _ = try await fast.engine.take(server.sign(.document, ["limit": 3], revision: 3))
        fast.activate()
        try await fast.synchronize()
        _ = try await slow.engine.take(server.sign(.document, ["limit": 2], revision: 2))
        slow.activate()
        try await slow.synchronize()
        let restarted = try makeStore()
        #expect(restarted.status.fetchedRevision == 3 && restarted.snapshot() == ["limit": 3])
        // A forged file decides nothing.
        let forged = try TestServer().sign(.document, ["limit": 9], revision: 9)
        let text = "keyspan-remote-cache 1\n{\"active\": 1, \"fetched\": 0}\n\(String(decoding: forged, as: UTF8.self))"
        _ = try folder.write(text, to: "cache")
        _ = try await slow.engine.take(server.sign(.document, ["limit": 4], revision: 4))
        slow.activate()
        try await slow.synchronize()
        #expect(try makeStore().snapshot() == ["limit": 4])
    }
}
#endif
