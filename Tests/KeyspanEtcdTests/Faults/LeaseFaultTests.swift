import KeyspanCore
import KeyspanEtcd
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// What stores that have written leave in their cluster.
@Suite(.heavy, .enabled(if: TestCluster.isInstalled)) struct LeaseFaultTests {
    private static let prefix = "greeter/"

    private func expectNoTraces(in cluster: TestCluster, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try eventually(
            "no marker and no lease is left",
            (try cluster.entries(prefix: "\(Self.prefix).keyspan/").count, try cluster.leaseCount()),
            sourceLocation: sourceLocation
        ) { $0 == (0, 0) }
    }

    @Test(arguments: [false, true]) func `stores that have ended leave no marker and no lease`(hasUser: Bool) throws {
        let cluster = try TestCluster(.init(size: 1))
        defer { cluster.stop() }
        if hasUser { try cluster.addUsers(prefix: Self.prefix) }
        for writes in [EtcdStoreOptions.Writes.committed, .background()] {
            var options = EtcdStoreOptions()
            (options.writes, options.timeout) = (writes, .seconds(60))
            if hasUser { options.credentials = TestCluster.credentials() }
            let stores = try (0..<3).map { _ in
                try EtcdStore(endpoints: cluster.endpoints, prefix: Self.prefix, options: options)
            }
            for (index, store) in stores.enumerated() {
                try store.apply(PropertyListBatch(.set(1, key: "\(index)")))
                try store.synchronize()
            }
        }
        try expectNoTraces(in: cluster)
        #expect(try cluster.texts(prefix: Self.prefix) == ["0": "1", "1": "1", "2": "1"])
    }

    @Test func `commands of the tool leave no marker and no lease`() throws {
        let cluster = try TestCluster(.init(size: 1))
        defer { cluster.stop() }
        let url = "etcd://\(cluster.endpoints[0])/\(Self.prefix)"
        for number in 1...6 {
            let words = [TestProcess.product("keyspan"), "write", url, "port", "-int", "\(number)"]
            try TestProcess.run(words, environment: TestCluster.environment)
        }
        try expectNoTraces(in: cluster)
        #expect(try cluster.texts(prefix: Self.prefix)["port"] == "6")
    }
}
