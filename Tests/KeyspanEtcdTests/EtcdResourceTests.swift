import Foundation
import KeyspanCore
import KeyspanEtcd
import KeyspanTestSupport
import KeyspanTesting
import Testing

@Suite(.heavy, .enabled(if: TestCluster.isInstalled)) struct EtcdResourceTests {
    @Test func `a cluster without space refuses writes, and takes them once there is space`() throws {
        let cluster = try TestCluster(.init(size: 1, arguments: ["--quota-backend-bytes", "\(4 << 20)"]))
        defer { cluster.stop() }
        let store = try EtcdStore(endpoints: cluster.endpoints, prefix: "greeter/")
        var background = EtcdStoreOptions()
        background.writes = .background()
        background.timeout = .seconds(2)
        let other = try EtcdStore(endpoints: cluster.endpoints, prefix: "greeter/", options: background)
        try store.apply(PropertyListBatch(.set(1, key: "a")))
        let filling = String(repeating: "x", count: 500_000)
        var refused: StoreError?
        for _ in 0..<40 where refused == nil {
            do throws(StoreError) {
                try store.apply(PropertyListBatch(.set(.string(filling), key: "filling")))
            } catch {
                refused = error
            }
        }
        #expect(refused?.code == .notApplied)
        try other.apply(PropertyListBatch(.set(2, key: "a")))
        expectError(.notDurable) { try other.synchronize() }
        #expect(other.value(forKey: "a") == 2 && store.value(forKey: "a") == 1)

        try cluster.compact(at: cluster.revision())
        try cluster.etcdctl("defrag")
        try cluster.etcdctl("alarm", "disarm")
        other.waitUntilSynchronized()
        store.waitFor(2, forKey: "a")
    }

    @Test func `stores that are released leave no descriptor and no task`() throws {
        func open() throws {
            let store = try SharedCluster.open("released/")
            let observation = store.observe(.all, initial: true) { _ in }
            observation.cancel()
        }
        func descriptors() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        }
        for _ in 0..<20 { try open() }
        let (before, count) = (try descriptors(), TestLevel.current.pick(200, thorough: 1000))
        for _ in 0..<count { try open() }
        // Connections of released stores end on their own threads, and other tests open and close some too.
        try eventually("most connections are closed", try descriptors()) { $0 < before + count / 2 }
    }
}
