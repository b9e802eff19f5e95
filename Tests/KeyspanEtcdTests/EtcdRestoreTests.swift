import Foundation
import KeyspanCore
import KeyspanEtcd
import KeyspanTestSupport
import Testing

/// A cluster that is restored from a backup, as the documentation says it is made.
@Suite(.heavy, .enabled(if: TestCluster.isInstalled)) struct EtcdRestoreTests {
    @Test func `a store takes over the values of a cluster that is restored from a backup`() throws {
        ReportedProblems.begin()
        let cluster = try TestCluster(.init(size: 1))
        defer { cluster.stop() }
        let store = try EtcdStore(endpoints: cluster.endpoints, prefix: "greeter/")
        var batch = PropertyListBatch(.set(1, key: "a"))
        batch.set(1, forKey: "b")
        try store.apply(batch)
        let (member, backup) = (cluster.members[0], "\(cluster.folder)/backup.db")
        try cluster.etcdctl("snapshot", "save", backup)
        batch = PropertyListBatch(.set(2, key: "a"))
        batch.set(nil, forKey: "b")
        batch.set(2, forKey: "c")
        try store.apply(batch)

        let changes = ChangedKeys(of: store)
        member.kill()
        let (folder, peer) = ("\(cluster.folder)/\(member.name)", "http://\(member.place.peer)")
        try FileManager.default.removeItem(atPath: folder)
        let identity = ["--name", member.name, "--initial-cluster", "\(member.name)=\(peer)"]
        let restored = try cluster.administer(
            ["snapshot", "restore", backup, "--data-dir", folder] + identity
                + ["--initial-advertise-peer-urls", peer, "--initial-cluster-token", "restored"],
            at: [member]
        )
        #expect(restored.status == 0)
        try member.restart()
        try cluster.waitUntilHealthy()

        changes.waitFor([["a", "b", "c"]])
        #expect(store.snapshot() == ["a": 1, "b": 1])
        eventually("the problem is reported", ReportedProblems.of(store)) { $0.contains { $0.contains("backup") } }
        try store.apply(PropertyListBatch(.set(3, key: "a")))
        #expect(try cluster.etcdctl("get", "--print-value-only", "greeter/a") == "3\n")
    }
}
