import KeyspanCore
import KeyspanEtcd
import KeyspanTestSupport
import Testing

/// Prefixes that may be the beginning of other programs' names, and tenants behind one wide prefix.
@Suite(.heavy, .enabled(if: TestCluster.isInstalled)) struct EtcdPrefixTests {
    private struct TenantKeys: KeyGroup {
        let theme = Key<String>("theme", default: "light")
        let limit = Key<Int>("limit", default: 100)
    }

    private func names(_ prefix: String) throws -> [Substring] {
        try SharedCluster.cluster.etcdctl("get", "--prefix", prefix, "--keys-only").split(separator: "\n")
            .filter { !$0.contains(".keyspan/") }
    }

    @Test(arguments: ["app", "", "ä", "/\u{301}"])
    func `a prefix without a separator at its end is refused, and the neighbors stay`(last: String) throws {
        let folder = SharedCluster.newPrefix()
        let names = ["app-production/port", "app/port", "application/secret"].map { folder + $0 }
        for name in names { try SharedCluster.cluster.etcdctl("put", name, "1") }
        let prefix = last.isEmpty ? "" : folder + last
        let error = expectError(.refused) {
            let store = try SharedCluster.open(prefix)
            // The whole cluster is that of the other tests.
            if !prefix.isEmpty { try store.apply(PropertyListBatch(.removeAll)) }
        }
        #expect(error?.reason.contains("neighbors") == true || error?.reason.contains("whole cluster") == true)
        #expect(error?.remedy.contains("allowsPrefixWithoutSeparator") == true)
        #expect(try self.names(folder) == names.map { $0[...] })
    }

    @Test(arguments: ["/", ".", ":"])
    func `a separator is one of three`(separator: String) throws {
        let prefix = SharedCluster.newPrefix() + "app" + separator
        try SharedCluster.cluster.etcdctl("put", prefix + "port", "1")
        #expect(try SharedCluster.open(prefix).snapshot() == ["port": 1])
    }

    @Test func `an option allows a prefix that ends within a name`() throws {
        let prefix = SharedCluster.newPrefix() + "app"
        for name in ["-a/port", "/port"] { try SharedCluster.cluster.etcdctl("put", prefix + name, "1") }
        let store = try SharedCluster.open(prefix) { $0.allowsPrefixWithoutSeparator = true }
        #expect(store.snapshot() == ["-a/port": 1, "/port": 1])
    }

    /// As the article has it.
    @Test func `tenants are views of one store, and do not touch each other`() throws {
        let store = try SharedCluster.open()
        let tenants = (0..<200).map { Defaults.Group<TenantKeys>(store, prefix: "\($0)/") }
        let changes = Recorder<String>()
        let observations = tenants.enumerated().map { number, tenant in
            tenant.observe(\.theme, options: []) { changes.record("\(number) \($0.newValue)") }
        }
        tenants[7].theme = "dark"
        try tenants[70].commit {
            $0.theme = "blue"
            $0.limit = 5
        }
        #expect(tenants.filter { $0.theme != "light" }.count == 2 && tenants.filter { $0.limit != 100 }.count == 1)
        #expect(tenants[7].theme == "dark" && tenants[7].limit == 100 && tenants[70].limit == 5)
        #expect(
            try names(store.prefix).map { $0.dropFirst(store.prefix.count) } == ["7/theme", "70/limit", "70/theme"]
        )
        // Another server, and a person with etcdctl.
        let other = try SharedCluster.open(store.prefix)
        #expect(Defaults.Group<TenantKeys>(other, prefix: "7/").theme == "dark")
        try SharedCluster.cluster.etcdctl("put", store.prefix + "8/theme", #""red""#)
        eventually("the tenant has the value", tenants[8].theme) { $0 == "red" }
        try tenants[7].commit { $0.resetAll() }
        #expect(tenants[7].theme == "light" && tenants[70].theme == "blue" && tenants[8].theme == "red")
        eventually("each observer was notified of its tenant", changes.values) {
            $0 == ["7 dark", "70 blue", "8 red", "7 light"]
        }
        #expect(observations.count == 200)
    }
}
