import Foundation
import KeyspanCore
import KeyspanEtcd
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// A cluster whose database is full, which refuses everything that could make it larger.
@Suite(.heavy, .enabled(if: TestCluster.isInstalled)) struct FullClusterFaultTests {
    private static let prefix = "greeter/"

    /// Starts a cluster of one member with some values, lets the test prepare, and fills its database with others.
    private func fill(_ prepare: (TestCluster) throws -> Void) throws -> TestCluster {
        let cluster = try TestCluster(.init(size: 1, arguments: ["--quota-backend-bytes", "\(4 << 20)"]))
        let names = ["a", "b", "c", "d"].map { ("\(Self.prefix)\($0)", Optional("1")) }
        try cluster.make([ClusterChange(uniqueKeysWithValues: names)])
        try prepare(cluster)
        // Not by one of the stores: each may have its marker in the cluster or not.
        let text = "\"\(String(repeating: "x", count: 100_000))\""
        eventually("the database is full") {
            (try? cluster.etcdctl("put", "filling", text)) == nil
        }
        return cluster
    }

    /// Makes space, as the remedy of the error says.
    private func makeSpace(in cluster: TestCluster) throws {
        try cluster.compact(at: cluster.revision())
        try cluster.etcdctl("defrag")
        try cluster.etcdctl("alarm", "disarm")
    }

    @Test(arguments: [false, true])
    func `a committed write names the want of space, and a removal is taken`(hasWritten: Bool) throws {
        var opened: EtcdStore?
        let cluster = try fill { cluster in
            let store = try cluster.open()
            // A store that has written has a marker and a lease for it.
            if hasWritten { try store.apply(PropertyListBatch(.set(1, key: "a"))) }
            opened = store
        }
        defer { cluster.stop() }
        let store = try #require(opened)
        let error = expectError(.notApplied) { try store.apply(PropertyListBatch(.set(2, key: "a"))) }
        #expect(error.map { "\($0)" }?.contains("space") == true)
        #expect(store.value(forKey: "a") == 1)

        try store.apply(PropertyListBatch(.remove(key: "a")))
        #expect(store.value(forKey: "a") == nil)
        #expect(try cluster.texts(prefix: Self.prefix) == ["b": "1", "c": "1", "d": "1"])
        var batch = PropertyListBatch(.remove(key: "b"))
        batch.remove("c")
        try store.apply(batch)
        #expect(try cluster.texts(prefix: Self.prefix) == ["d": "1"])
        try store.apply(PropertyListBatch(.removeAll))
        #expect(try cluster.texts(prefix: Self.prefix).isEmpty && store.texts.isEmpty)

        try makeSpace(in: cluster)
        try store.apply(PropertyListBatch(.set(3, key: "a")))
        #expect(try cluster.texts(prefix: Self.prefix) == ["a": "3"])
    }

    @Test func `the tool removes entries`() throws {
        let cluster = try fill { _ in }
        defer { cluster.stop() }
        let url = "etcd://\(cluster.endpoints[0])/\(Self.prefix)"
        func keyspan(_ arguments: String...) throws {
            let result = try TestProcess(
                [TestProcess.product("keyspan")] + arguments,
                environment: TestCluster.environment
            ).finish()
            #expect(result.status == 0, "\(arguments): \(result.error)")
        }
        try keyspan("delete", url, "a")
        #expect(try cluster.texts(prefix: Self.prefix) == ["b": "1", "c": "1", "d": "1"])
        try keyspan("delete", url, "--yes")
        #expect(try cluster.texts(prefix: Self.prefix).isEmpty)
    }

    @Test func `writes in the background wait for space and arrive once`() throws {
        var opened: EtcdStore?
        let cluster = try fill { cluster in
            opened = try cluster.open { ($0.writes, $0.timeout) = (.background(), .seconds(2)) }
        }
        defer { cluster.stop() }
        let store = try #require(opened)
        // Each fills most of a transaction, so that there are many.
        let long = String(repeating: "y", count: 50_000)
        for number in 0..<20 { try store.apply(PropertyListBatch(.set(.string("\(number)\(long)"), key: "\(number)"))) }
        for number in 1...5 {
            try store.apply(PropertyListBatch(.set(.integer(PropertyListInteger(number)), key: "a")))
        }
        try store.apply(PropertyListBatch(.remove(key: "b")))
        let error = expectError(.notDurable) { try store.synchronize() }
        #expect(error.map { "\($0)" }?.contains("space") == true)
        #expect(store.status.pendingKeys > 0 && store.value(forKey: "a") == 5)

        try makeSpace(in: cluster)
        store.waitUntilSynchronized()
        let entries = try cluster.entries(prefix: Self.prefix)
        #expect(try cluster.texts(prefix: Self.prefix) == store.texts)
        #expect(store.texts.count == 23 && store.value(forKey: "b") == nil && store.value(forKey: "a") == 5)
        for number in 0..<20 { #expect(entries["\(number)"]?.version == 1) }
    }

    @Test func `a removal in the background is taken while there is no space`() throws {
        var opened: EtcdStore?
        let cluster = try fill { opened = try $0.open { $0.writes = .background() } }
        defer { cluster.stop() }
        let store = try #require(opened)
        try store.apply(PropertyListBatch(.remove(key: "a")))
        try store.synchronize()
        #expect(try cluster.texts(prefix: Self.prefix) == ["b": "1", "c": "1", "d": "1"])
    }
}
