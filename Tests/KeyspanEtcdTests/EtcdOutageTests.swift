import Foundation
import KeyspanCore
import KeyspanEtcd
import KeyspanTesting
import Testing

/// Members that die, freeze and are cut off, and stores that go on.
@Suite(.enabled(if: TestCluster.isInstalled), .serialized) struct EtcdOutageTests {
    private func open(
        _ cluster: TestCluster,
        _ configure: (inout EtcdStoreOptions) -> Void = { _ in }
    ) throws -> EtcdStore {
        var options = EtcdStoreOptions()
        configure(&options)
        return try EtcdStore(endpoints: cluster.endpoints, prefix: "greeter/", options: options)
    }

    /// The member that a store watches, for which it may have to wait.
    private func endpoint(of store: EtcdStore) throws -> String {
        #expect(becomes { store.status.endpoint != nil })
        return try #require(store.status.endpoint)
    }

    @Test func `a store goes on with another member when its own is killed`() async throws {
        try await TestThread.run {
            let cluster = try TestCluster()
            defer { cluster.stop() }
            let store = try open(cluster)
            let other = try open(cluster)
            for round in 0..<3 {
                let endpoint = try endpoint(of: store)
                let member = try #require(cluster.members.first { $0.endpoint == endpoint })
                member.kill()
                try store.apply(PropertyListBatch(.set(.integer(PropertyListInteger(round)), key: "round")))
                #expect(becomes { other.value(forKey: "round") == .integer(PropertyListInteger(round)) })
                #expect(store.status.endpoint != endpoint)
                try member.restart()
                try cluster.waitUntilHealthy()
            }
        }
    }

    @Test func `a store goes on with another member when its own is frozen`() async throws {
        try await TestThread.run {
            let cluster = try TestCluster()
            defer { cluster.stop() }
            let store = try open(cluster) { $0.callTimeout = .seconds(1) }
            let endpoint = try endpoint(of: store)
            let member = try #require(cluster.members.first { $0.endpoint == endpoint })
            member.freeze()
            try store.apply(PropertyListBatch(.set(1, key: "a")))
            #expect(store.value(forKey: "a") == 1)
            #expect(store.status.endpoint != endpoint)
            member.thaw()
        }
    }

    /// The connection stays open, and nothing is sent on it, so that nothing but the pings of the store can tell.
    @Test func `a store that only watches leaves its member when that is frozen`() async throws {
        try await TestThread.run {
            let cluster = try TestCluster()
            defer { cluster.stop() }
            // The store makes a call of its own after 90 seconds only.
            let store = try open(cluster) { $0.callTimeout = .seconds(9) }
            let other = try open(cluster) { $0.callTimeout = .seconds(1) }
            let endpoint = try endpoint(of: store)
            let member = try #require(cluster.members.first { $0.endpoint == endpoint })
            member.freeze()
            try other.apply(PropertyListBatch(.set(1, key: "a")))
            #expect(becomes { store.value(forKey: "a") == 1 })
            #expect(store.status.endpoint != endpoint)
            member.thaw()
        }
    }

    @Test func `a write without the cluster fails in time, and reads go on`() async throws {
        try await TestThread.run {
            let cluster = try TestCluster()
            defer { cluster.stop() }
            let store = try open(cluster) { $0.timeout = .seconds(2) }
            try store.apply(PropertyListBatch(.set(1, key: "a")))
            for member in cluster.members { member.kill() }
            #expect(becomes { store.status.staleSince != nil })
            let error = #expect(throws: StoreError.self) { try store.apply(PropertyListBatch(.set(2, key: "a"))) }
            #expect(error?.code == .unreachable)
            #expect(store.value(forKey: "a") == 1)
            for member in cluster.members { try member.restart() }
            #expect(becomes { store.status.staleSince == nil })
            try store.apply(PropertyListBatch(.set(3, key: "a")))
            #expect(try cluster.etcdctl("get", "--print-value-only", "greeter/a") == "3\n")
        }
    }

    @Test func `writes in the background wait for the cluster, in their order`() async throws {
        try await TestThread.run {
            let cluster = try TestCluster()
            defer { cluster.stop() }
            let store = try open(cluster) {
                $0.writes = .background(limit: 300)
                $0.timeout = .seconds(2)
            }
            try store.apply(PropertyListBatch(.set(0, key: "first")))
            try store.synchronize()
            for member in cluster.members { member.kill() }
            for index in 0..<290 { try store.apply(PropertyListBatch(.set(1, key: "key \(index)"))) }
            try store.apply(PropertyListBatch(.remove(key: "first")))
            #expect(store.snapshot().count == 290)
            #expect(store.status.pendingKeys == 291)
            let notDurable = #expect(throws: StoreError.self) { try store.synchronize() }
            #expect(notDurable?.code == .notDurable)
            let full = #expect(throws: StoreError.self) {
                for index in 0..<20 { try store.apply(PropertyListBatch(.set(2, key: "more \(index)"))) }
            }
            #expect(full?.code == .unreachable)
            for member in cluster.members { try member.restart() }
            try cluster.waitUntilHealthy()
            #expect(becomes { (try? store.synchronize()) != nil })
            let reader = try open(cluster)
            #expect(reader.snapshot() == store.snapshot())
            #expect(reader.value(forKey: "first") == nil)
        }
    }

    @Test func `a store that was away during a compaction lists anew`() async throws {
        try await TestThread.run {
            let cluster = try TestCluster()
            defer { cluster.stop() }
            let proxy = try TCPProxy(to: cluster.members[0].endpoint)
            defer { proxy.stop() }
            let store = try EtcdStore(endpoints: [proxy.endpoint], prefix: "greeter/")
            for name in ["a", "b", "c"] { try store.apply(PropertyListBatch(.set(1, key: name))) }
            let changes = Locked<[[String]]>([])
            let observation = store.observe(.all, initial: false) { change in
                changes.withLock { $0.append(change.entries.map(\.key).sorted()) }
            }
            proxy.refuse()
            proxy.cut()
            try cluster.etcdctl("del", "greeter/a")
            try cluster.etcdctl("put", "greeter/b", "2")
            try cluster.compact(at: cluster.revision())
            try proxy.accept()
            #expect(becomes { store.snapshot() == ["b": 2, "c": 1] })
            #expect(becomes { changes.withLock { $0 == [["a", "b"]] } })
            observation.cancel()
        }
    }

    @Test func `a store without the cluster starts from its cache`() async throws {
        try await TestThread.run {
            let cluster = try TestCluster()
            defer { cluster.stop() }
            let folder = FileManager.default.temporaryDirectory.appending(path: "keyspan-\(UUID())").path
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let cache = "\(folder)/cache.json"
            let store = try open(cluster) { $0.cache = cache }
            try store.apply(PropertyListBatch(.set("dark", key: "theme")))
            let revision = store.status.revision
            #expect(becomes { (try? String(contentsOfFile: cache, encoding: .utf8))?.contains("dark") == true })
            for member in cluster.members { member.kill() }

            let offline = try open(cluster) { $0.cache = cache }
            #expect(offline.value(forKey: "theme") == "dark")
            #expect(offline.status.isFromCache && offline.status.staleSince != nil)
            #expect(offline.status.revision == revision)
            let error = #expect(throws: StoreError.self) { try open(cluster) { $0.timeout = .seconds(1) } }
            #expect(error?.code == .unreachable)
            for member in cluster.members { try member.restart() }
            try cluster.waitUntilHealthy()
            try cluster.etcdctl("put", "greeter/theme", #""light""#)
            #expect(becomes { offline.value(forKey: "theme") == "light" && !offline.status.isFromCache })
        }
    }
}
