import KeyspanCore
import KeyspanEtcd
import KeyspanTestSupport
import Testing

/// Members that die, freeze and are cut off, and stores that go on.
@Suite(.heavy, .enabled(if: TestCluster.isInstalled)) struct EtcdOutageTests {
    @Test func `a store goes on with another member when its own is killed`() throws {
        let cluster = try TestCluster()
        defer { cluster.stop() }
        let store = try cluster.open()
        let other = try cluster.open()
        for round in 0..<3 {
            let endpoint = try store.waitForMember()
            let member = try #require(cluster.members.first { $0.endpoint == endpoint })
            member.kill()
            try store.apply(PropertyListBatch(.set(.integer(PropertyListInteger(round)), key: "round")))
            other.waitFor(.integer(PropertyListInteger(round)), forKey: "round")
            #expect(store.status.endpoint != endpoint)
            try member.restart()
            try cluster.waitUntilHealthy()
        }
    }

    @Test func `a store goes on with another member when its own is frozen`() throws {
        let cluster = try TestCluster()
        defer { cluster.stop() }
        let store = try cluster.open { $0.callTimeout = .seconds(1) }
        let endpoint = try store.waitForMember()
        let member = try #require(cluster.members.first { $0.endpoint == endpoint })
        member.freeze()
        try store.apply(PropertyListBatch(.set(1, key: "a")))
        #expect(store.value(forKey: "a") == 1)
        #expect(store.status.endpoint != endpoint)
        member.thaw()
    }

    /// The connection stays open, and nothing is sent on it, so that nothing but the pings of the store can tell.
    @Test func `a store that only watches leaves its member when that is frozen`() throws {
        let cluster = try TestCluster()
        defer { cluster.stop() }
        // The store makes a call of its own after 90 seconds only.
        let store = try cluster.open { $0.callTimeout = .seconds(9) }
        let other = try cluster.open { $0.callTimeout = .seconds(1) }
        let endpoint = try store.waitForMember()
        let member = try #require(cluster.members.first { $0.endpoint == endpoint })
        member.freeze()
        try other.apply(PropertyListBatch(.set(1, key: "a")))
        store.waitFor(1, forKey: "a")
        #expect(store.status.endpoint != endpoint)
        member.thaw()
    }

    /// A member sends up to 1000 revisions as one response in many parts, which all arrive before the first one counts.
    @Test func `a store catches up on a line on which that takes longer than a call`() throws {
        let cluster = try TestCluster(.init(size: 1))
        defer { cluster.stop() }
        let proxy = try TCPProxy(to: cluster.members[0].endpoint)
        defer { proxy.stop() }
        var options = EtcdStoreOptions()
        (options.timeout, options.callTimeout) = (.seconds(60), .seconds(1))
        let store = try EtcdStore(endpoints: [proxy.endpoint], prefix: "greeter/", options: options)
        let writer = try cluster.open()
        try writer.apply(PropertyListBatch(.set(0, key: "k")))
        store.waitFor(0, forKey: "k")
        proxy.refuse()
        proxy.cut()
        eventually("the values are stale", store.status.staleSince) { $0 != nil }
        for number in 1...20 {
            let text = String(repeating: "\(number % 10)", count: 100_000)
            try writer.apply(PropertyListBatch(.set(.string(text), key: "k")))
        }
        try writer.apply(PropertyListBatch(.set(1, key: "end")))
        // At most 1 MB a second, and so 2 s or more, and less than the pings of the transport wait for on a slow machine.
        proxy.trickle(bytes: 1_000)
        try proxy.accept()
        store.waitFor(1, forKey: "end")
        #expect(store.snapshot() == writer.snapshot())
    }

    @Test func `a write without the cluster fails in time, and reads go on`() throws {
        let cluster = try TestCluster()
        defer { cluster.stop() }
        let store = try cluster.open()
        try store.apply(PropertyListBatch(.set(1, key: "a")))
        let hasty = try cluster.open { $0.timeout = .seconds(2) }
        for member in cluster.members { member.kill() }
        eventually("the values are stale", store.status.staleSince) { $0 != nil }
        expectError(.unreachable) { try hasty.apply(PropertyListBatch(.set(2, key: "a"))) }
        #expect(store.value(forKey: "a") == 1)
        for member in cluster.members { try member.restart() }
        eventually("the values are fresh", store.status.staleSince) { $0 == nil }
        try store.apply(PropertyListBatch(.set(3, key: "a")))
        #expect(try cluster.etcdctl("get", "--print-value-only", "greeter/a") == "3\n")
    }

    @Test func `writes in the background wait for the cluster, in their order`() throws {
        let cluster = try TestCluster()
        defer { cluster.stop() }
        let store = try cluster.open {
            $0.writes = .background(limit: 300)
            $0.timeout = .seconds(2)
        }
        try store.apply(PropertyListBatch(.set(0, key: "first")))
        store.waitUntilSynchronized()
        for member in cluster.members { member.kill() }
        for index in 0..<290 { try store.apply(PropertyListBatch(.set(1, key: "key \(index)"))) }
        try store.apply(PropertyListBatch(.remove(key: "first")))
        #expect(store.snapshot().count == 290)
        #expect(store.status.pendingKeys == 291)
        expectError(.notDurable) { try store.synchronize() }
        expectError(.unreachable) {
            for index in 0..<20 { try store.apply(PropertyListBatch(.set(2, key: "more \(index)"))) }
        }
        for member in cluster.members { try member.restart() }
        try cluster.waitUntilHealthy()
        store.waitUntilSynchronized()
        let reader = try cluster.open()
        #expect(reader.snapshot() == store.snapshot())
        #expect(reader.value(forKey: "first") == nil)
    }

    @Test func `a store that was away during a compaction lists anew`() throws {
        let cluster = try TestCluster()
        defer { cluster.stop() }
        let proxy = try TCPProxy(to: cluster.members[0].endpoint)
        defer { proxy.stop() }
        let store = try EtcdStore(endpoints: [proxy.endpoint], prefix: "greeter/")
        for name in ["a", "b", "c"] { try store.apply(PropertyListBatch(.set(1, key: name))) }
        let changes = ChangedKeys(of: store)
        proxy.refuse()
        proxy.cut()
        try cluster.etcdctl("del", "greeter/a")
        try cluster.etcdctl("put", "greeter/b", "2")
        try cluster.compact(at: cluster.revision())
        try proxy.accept()
        changes.waitFor([["a", "b"]])
        #expect(store.snapshot() == ["b": 2, "c": 1])
    }

    @Test func `a store without the cluster starts from its cache`() throws {
        let cluster = try TestCluster()
        defer { cluster.stop() }
        let folder = try TemporaryFolder()
        let cache = folder.path("cache.json")
        let store = try cluster.open { $0.cache = cache }
        try store.apply(PropertyListBatch(.set("dark", key: "theme")))
        let revision = store.status.revision
        eventually("the cache has the value", try? folder.text(of: "cache.json")) { $0?.contains("dark") == true }
        for member in cluster.members { member.kill() }

        let offline = try cluster.open { $0.cache = cache }
        #expect(offline.value(forKey: "theme") == "dark")
        #expect(offline.status.isFromCache && offline.status.staleSince != nil)
        #expect(offline.status.revision == revision)
        expectError(.unreachable) { try cluster.open { $0.timeout = .seconds(1) } }
        for member in cluster.members { try member.restart() }
        try cluster.waitUntilHealthy()
        try cluster.etcdctl("put", "greeter/theme", #""light""#)
        offline.waitFor("light", forKey: "theme")
        #expect(!offline.status.isFromCache)
    }
}
