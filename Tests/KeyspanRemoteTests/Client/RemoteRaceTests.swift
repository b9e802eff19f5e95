import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// Clients that several threads use while their server changes.
@Suite
struct RemoteRaceTests {
    private static let keys: [Defaults.AnyKey] =
        ["left", "right"].map { Defaults.Key<Int?>($0).published() as Defaults.AnyKey }

    private func set(_ number: Int, at server: TestServer) throws {
        let value = PropertyListValue.integer(PropertyListInteger(number))
        try server.set(["left": value, "right": value])
    }

    @Test(arguments: [false, true]) func `each activation is one notification of whole states in their order`(
        _ isCached: Bool
    ) async throws {
        let (server, folder) = (try TestServer(keys: Self.keys), try TemporaryFolder())
        try set(0, at: server)
        let store = try makeClient(of: server, keys: Self.keys, cache: isCached ? folder.path("cache") : nil) {
            $0.activation = .manually
            $0.isLive = true
        }
        let shown = Shared<[PropertyListTable]>([])
        let notes = Counter()
        let observation = store.observe(.all, initial: false) { [weak store] _ in
            notes.add()
            if let store { shown.withLock { $0.append(store.snapshot()) } }
        }
        let activations = Counter()
        let isDone = Shared(false)
        let threads = (0..<3).map { part in
            Task.detached {
                while !isDone.withLock({ $0 }) {
                    if part == 2 { _ = try? await store.fetch() }
                    if store.activate() { activations.add() }
                    let table = store.snapshot()
                    if table["left"] != table["right"] { Issue.record("torn: \(table)") }
                    _ = (store.status, store.provenance(forKeys: ["left"], findingLines: false))
                    await Task.yield()
                }
            }
        }
        for number in 1...300 {
            try set(number, at: server)
            if number % 10 == 0 { try await Task.sleep(for: .milliseconds(2)) }
        }
        let last = server.base.snapshot()
        try await eventually { store.snapshot() == last }
        isDone.withLock { $0 = true }
        for thread in threads { await thread.value }
        try await eventually { shown.withLock { $0.last } == last }
        #expect(notes.count <= activations.count && notes.count > 0)
        var place = 0
        for table in shown.withLock({ $0 }) {
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
        let (server, folder) = (try TestServer(keys: Self.keys), try TemporaryFolder())
        try set(0, at: server)
        let isDone = Shared(false)
        let writer = Task.detached {
            var number = 0
            while !isDone.withLock({ $0 }) {
                number += 1
                try set(number, at: server)
                server.publisher.refreshLayers()
                try await Task.sleep(for: .microseconds(500))
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for part in 0..<4 {
                group.addTask {
                    for round in 0..<60 {
                        var store: RemoteStore? = try makeClient(
                            of: server,
                            keys: Self.keys,
                            cache: folder.path("cache-\(part % 2)")
                        ) {
                            $0.isLive = round % 2 == 0
                            $0.isAutomatic = round % 3 == 0
                            $0.client = RemoteClient(bucket: part)
                        }
                        let fetch = Task { [store] in try await store?.fetch() }
                        for _ in 0..<Int.random(in: 0..<4) {
                            store?.isLive.toggle()
                            if Bool.random() { await Task.yield() }
                        }
                        if Bool.random() { fetch.cancel() }
                        if Bool.random() { try await Task.sleep(for: .milliseconds(Int.random(in: 0..<4))) }
                        let table = store?.snapshot() ?? [:]
                        #expect(table["left"] == table["right"])
                        store = nil
                        _ = await fetch.result
                    }
                }
            }
            try await group.waitForAll()
        }
        isDone.withLock { $0 = true }
        _ = await writer.result
        try await eventually {
            server.publisher.core.state.withLock {
                $0.streams.isEmpty && $0.groups.isEmpty && $0.heartbeat == nil
            }
        }
    }

    @Test func `streams that are opened, canceled and closed leave nothing`() async throws {
        let overlay = InMemoryStore()
        let server = try TestServer(keys: Self.keys) { $0.bucket == 1 ? [overlay] : [] }
        let isDone = Shared(false)
        let writer = Task.detached {
            var number = 0
            while !isDone.withLock({ $0 }) {
                number += 1
                try set(number, at: server)
                if number % 7 == 0 { server.publisher.refreshLayers() }
                await Task.yield()
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for part in 0..<6 {
                group.addTask {
                    for _ in 0..<80 {
                        let reader = Task {
                            guard let stream = try? await server.stream("/settings/changes?bucket=\(part % 3)") else {
                                return
                            }
                            for await chunk in stream where chunk.isEmpty { break }
                        }
                        try? await Task.sleep(for: .microseconds(Int.random(in: 0..<3_000)))
                        reader.cancel()
                        await reader.value
                    }
                }
            }
        }
        let late = Task {
            for await _ in try await server.stream() {}
        }
        try await Task.sleep(for: .milliseconds(10))
        server.publisher.close()
        _ = await late.result
        isDone.withLock { $0 = true }
        _ = await writer.result
        #expect(server.publisher.streamCount == 0)
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
                Task.detached { for _ in 0..<5 { _ = try? await store.fetch() } }
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
