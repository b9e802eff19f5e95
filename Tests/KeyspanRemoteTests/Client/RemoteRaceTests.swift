#if Remote
import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// Clients that several threads use while their server changes.
@Suite(.seeded)
struct RemoteRaceTests {
    private static let keys: [Defaults.AnyKey] =
        ["left", "right"].map { Defaults.Key<Int?>($0).published() as Defaults.AnyKey }

    private func set(_ number: Int, at server: TestServer) throws {
        try server.set(["left": .number(number), "right": .number(number)])
    }

    @Test(arguments: [false, true]) func `each activation is one notification of whole states in their order`(
        _ isCached: Bool
    ) async throws {
        let (server, folder) = (try TestServer(keys: Self.keys), try TemporaryFolder())
        try set(0, at: server)
        let (cache, times) = (isCached ? folder.path("cache") : nil, ManualClock())
        let store = try makeClient(of: server, keys: Self.keys, cache: cache, times: times) {
            $0.activation = .manually
            $0.isLive = true
        }
        let shown = Recorder<PropertyListTable>()
        let observation = store.observe(.all, initial: false) { [weak store] _ in
            if let store { shown.record(store.snapshot()) }
        }
        let activations = Recorder<Void>()
        let ends = Recorder<Void>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for part in 0..<3 {
                group.addTask {
                    while ends.count == 0 {
                        if part == 2 { _ = try? await store.fetch() }
                        // The events of the stream spread the requests over a second.
                        if part == 1 { times.advance(by: .milliseconds(100)) }
                        if store.activate() { activations.record(()) }
                        let table = store.snapshot()
                        if table["left"] != table["right"] { Issue.record("torn: \(table)") }
                        _ = (store.status, store.provenance(forKeys: ["left"], findingLines: false))
                        await Task.yield()
                    }
                }
            }
            for number in 1...300 {
                try set(number, at: server)
                await Task.yield()
            }
            try await eventually("the store shows the last state", store.snapshot(), is: server.base.snapshot())
            ends.record(())
            try await group.waitForAll()
        }
        let last = server.base.snapshot()
        try await eventually("the observer has the last state", shown.last, is: last)
        #expect(shown.count <= activations.count && shown.count > 0)
        var place = 0
        for table in shown.values {
            guard case .integer(let number)? = table["left"], let value = number.int64 else { continue }
            #expect(table["left"] == table["right"] && value >= place)
            place = Int(value)
        }
        observation.cancel()
        store.isLive = false
        try await store.synchronize()
        if !isCached { return }
        #expect(try makeClient(of: server, keys: Self.keys, cache: folder.path("cache")).snapshot() == last)
    }

    @Test func `stores that are started, toggled, canceled and released leave no stream`() async throws {
        let (folder, times) = (try TemporaryFolder(), ManualClock())
        let server = try TestServer(keys: Self.keys, groups: ["beta": [InMemoryStore()]]) { traits in
            traits.bucket == 1 ? "beta" : "all"
        }
        try set(0, at: server)
        let random = SharedRandom()
        let writer = Task {
            var number = 0
            while !Task.isCancelled {
                number += 1
                try set(number, at: server)
                server.publisher.refreshGroups()
                times.advance(by: .milliseconds(100))
                await Task.yield()
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for part in 0..<4 {
                group.addTask {
                    for round in 0..<TestLevel.current.pick(20, thorough: 60) {
                        var store: RemoteStore? = try makeClient(
                            of: server,
                            keys: Self.keys,
                            cache: folder.path("cache-\(part % 2)"),
                            times: times
                        ) {
                            $0.isLive = round % 2 == 0
                            if round % 3 == 0 { $0.polling = .every(.seconds(60)) }
                            $0.group = .assigned(to: ClientTraits(bucket: part))
                        }
                        let fetch = Task { [store] in try await store?.fetch() }
                        for _ in 0..<random.number(below: 4) {
                            store?.isLive.toggle()
                            if random.number(below: 2) == 0 { await Task.yield() }
                        }
                        if random.number(below: 2) == 0 { fetch.cancel() }
                        for _ in 0..<random.number(below: 200) { await Task.yield() }
                        let table = store?.snapshot() ?? [:]
                        #expect(table["left"] == table["right"])
                        store = nil
                        _ = await fetch.result
                    }
                }
            }
            try await group.waitForAll()
        }
        writer.cancel()
        _ = await writer.result
        try await eventually("the publisher has no stream") {
            server.publisher.core.state.withLock {
                $0.streams.isEmpty && $0.heartbeat == nil
            }
        }
    }

    @Test func `two stores with one cache file keep the newest version, whoever writes when`() async throws {
        let (server, folder) = (try TestServer(keys: Self.keys), try TemporaryFolder())
        let path = folder.path("cache")
        try set(0, at: server)
        for round in 0..<20 {
            let stores = try (0..<2).map { part in
                try makeClient(of: server, keys: Self.keys, cache: path) { $0.isLive = part == 0 }
            }
            let tasks = stores.map { store in
                Task { for _ in 0..<5 { _ = try? await store.fetch() } }
            }
            for number in 0..<20 { try set(round * 100 + number, at: server) }
            for task in tasks { await task.value }
            stores[0].isLive = false
            for store in stores { try await store.synchronize() }
            let newest = stores.compactMap(\.status.revision).max()
            for store in stores { try await store.synchronize() }
            let problems = Problems()
            let again = try problems.collect { try makeClient(of: server, keys: Self.keys, cache: path) }
            #expect(again.status.revision ?? -1 >= newest ?? 0 && problems.kinds == [])
        }
    }
}

/// Random numbers that several tasks draw.
private final class SharedRandom: Sendable {
    private let generator = Locked(SeededGenerator(seed: SeededGenerator.seedOfRun))

    func number(below count: Int) -> Int { generator.withLock { Int.random(in: 0..<count, using: &$0) } }
}
#endif
