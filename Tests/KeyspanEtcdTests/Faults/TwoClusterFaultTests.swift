import Foundation
import KeyspanCore
import KeyspanEtcd
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Two clusters in which stores have the same prefix.
@Suite(.heavy, .enabled(if: TestCluster.isInstalled)) struct TwoClusterFaultTests {
    private static let prefix = "greeter/"

    private func open(
        _ endpoints: [String],
        _ configure: (inout EtcdStoreOptions) -> Void = { _ in }
    ) throws -> EtcdStore {
        var options = EtcdStoreOptions()
        // Only a call that fails takes so long.
        options.timeout = .seconds(60)
        configure(&options)
        return try EtcdStore(endpoints: endpoints, prefix: Self.prefix, options: options)
    }

    @Test func `a store never begins with the cached values of another cluster`() throws {
        let clusters = try [TestCluster(.init(size: 1)), TestCluster(.init(size: 1))]
        defer { clusters.forEach { $0.stop() } }
        let folder = try TemporaryFolder()
        let (first, second) = (clusters[0].endpoints, clusters[1].endpoints)
        func openCached(_ endpoints: [String]) throws -> EtcdStore {
            try open(endpoints) { ($0.cache, $0.timeout) = (folder.path("cache.json"), .seconds(5)) }
        }
        do {
            let store = try openCached(first)
            try store.apply(PropertyListBatch(.set(1111, key: "port")))
            eventually("the cache has the value", try? folder.text(of: "cache.json")) { $0?.contains("1111") == true }
        }
        for cluster in clusters { cluster.members[0].kill() }
        expectError(.unreachable) { try openCached(second) }
        do {
            let store = try openCached(first)
            #expect(store.value(forKey: "port") == 1111 && store.status.isFromCache)
        }
        try clusters[1].members[0].restart()
        try clusters[1].waitUntilHealthy()
        do {
            let store = try openCached(second)
            #expect(store.texts.isEmpty)
            try store.apply(PropertyListBatch(.set(2222, key: "port")))
            eventually("the cache has the value", try? folder.text(of: "cache.json")) { $0?.contains("2222") == true }
        }
        // The file now is that of the second cluster.
        expectError(.unreachable) { try openCached(first) }
    }

    /// The stores of a process share connections, but only to the same members.
    @Test func `stores of one process on two clusters stay apart`() throws {
        let clusters = try [TestCluster(.init(size: 1)), TestCluster(.init(size: 1))]
        defer { clusters.forEach { $0.stop() } }
        let stores = try clusters.flatMap { cluster in try (0..<2).map { _ in try open(cluster.endpoints) } }
        func writeAndCheck(_ round: Int) throws {
            for (index, store) in stores.enumerated() {
                let value = PropertyListValue.integer(PropertyListInteger(10 * round + index))
                try store.apply(PropertyListBatch(.set(value, key: "own\(index)")))
            }
            for (index, cluster) in clusters.enumerated() {
                let own = [2 * index, 2 * index + 1]
                let truth = Dictionary(uniqueKeysWithValues: own.map { ("own\($0)", "\(10 * round + $0)") })
                #expect(try cluster.texts(prefix: Self.prefix) == truth)
                for number in own {
                    eventually("store \(number) has its cluster's values", stores[number].texts) { $0 == truth }
                    #expect(stores[number].status.endpoint == cluster.endpoints[0])
                }
            }
        }
        try writeAndCheck(1)
        for (index, cluster) in clusters.enumerated() {
            let other = stores[2 - 2 * index]
            cluster.members[0].kill()
            eventually("the stores have lost their member") {
                stores[2 * index].status.endpoint == nil && stores[2 * index + 1].status.endpoint == nil
            }
            try other.apply(PropertyListBatch(.set("alone", key: "own\(2 - 2 * index)")))
            #expect(stores[2 * index].value(forKey: "own\(2 - 2 * index)") == nil)
            try cluster.members[0].restart()
            try cluster.waitUntilHealthy()
            try writeAndCheck(2 + index)
        }
    }

    /// The other cluster ends before the last revision that the stores know, at it, or after it.
    @Test(arguments: RestoreScenario.Length.allCases)
    func `a cluster that takes over the address of another one replaces its values`(
        length: RestoreScenario.Length
    ) throws {
        ReportedProblems.begin()
        let old = try TestCluster(.init(size: 1))
        defer { old.stop() }
        let stores = try [open(old.endpoints), open(old.endpoints) { $0.writes = .background() }]
        for value in 1...5 { try old.make([["\(Self.prefix)k": "\(value)"], ["\(Self.prefix)old": "\(value)"]]) }
        for store in stores { eventually("\(store.name) is current", store.texts) { $0 == ["k": "5", "old": "5"] } }
        let revision = try old.revision()
        old.members[0].kill()
        for store in stores { eventually("\(store.name) has lost its member", store.status.endpoint) { $0 == nil } }

        let peer = try LoopbackPort()
        let place = ClusterMember.Place(client: old.members[0].place.client, peer: peer.endpoint)
        let new = try TestCluster(.init(size: 1), places: [place], ports: [peer], watchdog: Watchdog())
        defer { new.stop() }
        let end = length == .shorter ? revision - 2 : length == .equal ? revision : revision + 2
        // The stores come back while these changes are made.
        while try new.revision() < end { try new.make([["\(Self.prefix)k": "9"]]) }
        var truth = ["k": "9"]
        for store in stores {
            eventually("\(store.name) has the values of the new cluster", store.texts) { $0 == truth }
            try #require(store.texts == truth)
            #expect(store.replace("k", from: "5", to: "lost update")?.code == .conflict)
        }
        try stores[1].apply(PropertyListBatch(.set(1, key: "b")))
        stores[1].waitUntilSynchronized()
        truth["b"] = "1"
        stores[0].waitFor(1, forKey: "b")
        for store in stores { #expect(store.texts == truth) }
        #expect(try new.texts(prefix: Self.prefix) == truth)
        eventually(
            "both stores report that the cluster was replaced",
            ReportedProblems.count(of: .clusterReplaced, storesNamed: stores[0].name),
            within: .seconds(20)
        ) { $0 == stores.count }
    }
}
