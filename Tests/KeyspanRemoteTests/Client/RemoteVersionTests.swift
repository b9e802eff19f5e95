#if Remote
import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// Which documents are later than others: by the ranks of their keys, then by their revisions.
@Suite(.bounded)
struct RemoteVersionTests {
    private static let largest = SettingsDocument.revisions.upperBound

    private let server: TestServer
    private let (first, second): (SigningKey, SigningKey)
    private let folder: TemporaryFolder

    init() throws {
        server = try TestServer()
        (first, second) = (try .generate(id: "first"), try .generate(id: "second"))
        folder = try TemporaryFolder()
    }

    private func makeStore(
        _ keys: [SigningKey]? = nil,
        cached isCached: Bool = false,
        clock: TestClock = TestClock()
    ) throws -> RemoteStore {
        try Problems().collect {
            try makeClient(
                of: server,
                over: ScriptedTransport(to: nil),
                verificationKeys: (keys ?? [first, second]).map(\.verificationKey),
                cache: isCached ? folder.path("cache") : nil,
                clock: clock
            )
        }
    }

    private func document(_ limit: Int, _ revision: Int64, _ key: SigningKey) -> [UInt8] {
        server.sign(["limit": .number(limit)], revision: revision, key: key)
    }

    /// Lets a store take a document.
    ///
    /// - Returns: The reason for which it does not.
    private func refusal(_ store: RemoteStore, _ document: [UInt8]) async -> RemoteStoreError? {
        do throws(RemoteStoreError) {
            _ = try await store.engine.take(document)
            return nil
        } catch {
            return error
        }
    }

    // MARK: - Ranks

    @Test(arguments: [false, true])
    func `the next key recovers a client from the largest revision, and the key before is revoked`(
        _ isRestarted: Bool
    ) async throws {
        var store = try makeStore(cached: true)
        #expect(await refusal(store, document(1, Self.largest, first)) == nil)
        #expect(await refusal(store, document(2, 7, first))?.kind == .olderRevision)
        // A restart before and after the change of the key.
        if isRestarted { store = try makeStore(cached: true) }
        #expect(store.status.revision == Self.largest)
        #expect(await refusal(store, document(3, 1, second)) == nil)
        if isRestarted { store = try makeStore(cached: true) }
        #expect(store.snapshot() == ["limit": 3] && store.status.revision == 1)
        for document in [
            document(4, Self.largest, first), document(3, Self.largest, first), document(1, Self.largest, first),
            document(5, 0, first),
        ] {
            let error = await refusal(store, document)
            #expect(error?.kind == .revokedKey && error?.reason.contains("before second") == true)
        }
        #expect(store.snapshot() == ["limit": 3])
        #expect(await refusal(store, document(6, 2, second)) == nil)
        #expect(store.snapshot() == ["limit": 6])
    }

    @Test func `a revoked key is told from an older revision`() async throws {
        let store = try makeStore()
        #expect(await refusal(store, document(1, 10, second)) == nil)
        #expect(await refusal(store, document(2, 9, second))?.kind == .olderRevision)
        #expect(await refusal(store, document(2, 11, first))?.kind == .revokedKey)
        #expect(await refusal(store, document(2, 11, second)) == nil)
    }

    @Test func `a rotation moves clients from milliseconds to numbers`() async throws {
        let (times, number) = (try TestServer(["limit": 1], key: first), HostNumber(12))
        let numbers = try TestServer(["limit": 2], key: second, options: number.options)
        let transport = ScriptedTransport(to: times.publisher)
        let keys = [first, second].map(\.verificationKey)
        let store = try Problems().collect { try makeClient(of: times, over: transport, verificationKeys: keys) }
        try await store.fetch()
        #expect(store.status.revision == 1_800_000_000_000)
        transport.connect(to: numbers.publisher)
        #expect(try await store.fetch())
        #expect(store.status.revision == 12 && store.snapshot() == ["limit": 2])
        number.value = 13
        try numbers.set(["limit": 3])
        #expect(try await store.fetch())
        #expect(store.status.revision == 13 && store.snapshot() == ["limit": 3])
        // A server that was forgotten when the key was changed.
        transport.connect(to: times.publisher)
        let error = await #expect(throws: RemoteStoreError.self) { try await store.fetch() }
        #expect(error?.kind == .revokedKey && store.snapshot() == ["limit": 3])
    }

    @Test func `the order in which the client has its keys decides, also about its cache`() async throws {
        var store = try makeStore([first, second], cached: true)
        #expect(await refusal(store, document(1, 5, second)) == nil)
        try await store.synchronize()
        store = try makeStore([second, first], cached: true)
        #expect(store.snapshot() == ["limit": 1])
        #expect(await refusal(store, document(2, 1, first)) == nil)
        #expect(await refusal(store, document(3, 9, second))?.kind == .revokedKey)
        try await store.synchronize()
        // A client without the key of its cache starts empty, and takes what its keys have signed.
        store = try makeStore([second], cached: true)
        #expect(store.snapshot() == [:])
        #expect(await refusal(store, document(4, 1, second)) == nil)
        #expect(store.snapshot() == ["limit": 4])
    }

    // MARK: - Documents with the same values

    @Test func `a document with the same values and a smaller revision renews their time`() async throws {
        let clock = TestClock()
        let later = try TestServer(key: first, clock: clock)
        let store = try makeStore(clock: clock)
        #expect(await refusal(store, document(1, 1_000, first)) == nil)
        let expires = try #require(fetched(store)?.validity.upperBound)
        clock.advance(by: 3_600)
        #expect(await refusal(store, later.sign(["limit": 1], revision: 900)) == nil)
        let renewed = try #require(fetched(store))
        #expect(renewed.validity.upperBound == expires.addingTimeInterval(3_600) && renewed.revision == 1_000)
        #expect(renewed.tag.text.contains(".900.") && store.status.revision == 1_000)
        // Its time does not go back, and neither does its revision.
        #expect(await refusal(store, document(1, 950, first))?.kind == .olderRevision)
        #expect(await refusal(store, later.sign(["limit": 2], revision: 999))?.kind == .olderRevision)
        #expect(fetched(store)?.validity == renewed.validity && fetched(store)?.revision == 1_000)
    }

    @Test func `equal values with a larger revision raise that of the client, also of values in force`() async throws {
        let store = try makeStore()
        #expect(await refusal(store, document(1, 5, first)) == nil)
        #expect(try await store.engine.take(document(1, 8, first)) == false)
        #expect(store.status.revision == 8 && store.status.fetchedRevision == 8)
        #expect(await refusal(store, document(2, 7, first))?.kind == .olderRevision)
    }

    @Test func `equal values of the next key are of that key`() async throws {
        let store = try makeStore()
        #expect(await refusal(store, document(1, Self.largest, first)) == nil)
        #expect(try await store.engine.take(document(1, 3, second)) == false)
        #expect(store.status.revision == 3)
        #expect(await refusal(store, document(1, Self.largest, first))?.kind == .revokedKey)
    }

    @Test func `other values with the same revision are taken`() async throws {
        let store = try makeStore()
        for value in [1, 2, 1] {
            #expect(await refusal(store, document(value, 5, first)) == nil)
            #expect(store.snapshot() == ["limit": .number(value)])
        }
    }

    @Test func `a document that is repeated is not written to the disk again`() async throws {
        let store = try makeStore(cached: true)
        let path = folder.path("cache")
        func file() throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
        }
        #expect(await refusal(store, document(1, 5, first)) == nil)
        let written = try file()
        for revision: Int64 in [5, 4, 5] {
            #expect(await refusal(store, document(1, revision, first)) == nil)
            try await store.synchronize()
            #expect(try file() == written)
        }
        #expect(await refusal(store, document(1, 6, first)) == nil)
        try await store.synchronize()
        #expect(try written != nil && file() != written)
    }

    private func fetched(_ store: RemoteStore) -> RemoteVersion? { store.engine.state.withLock(\.fetched) }
}
#endif
