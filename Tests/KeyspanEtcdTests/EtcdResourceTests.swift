import Foundation
import KeyspanCore
import KeyspanEtcd
import KeyspanTesting
import Testing

@Suite(.enabled(if: TestCluster.isInstalled), .serialized) struct EtcdResourceTests {
    @Test func `a cluster without space refuses writes, and takes them once there is space`() async throws {
        try await TestThread.run {
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
            let error = #expect(throws: StoreError.self) { try other.synchronize() }
            #expect(error?.code == .notDurable)
            #expect(other.value(forKey: "a") == 2 && store.value(forKey: "a") == 1)

            try cluster.compact(at: cluster.revision())
            try cluster.etcdctl("defrag")
            try cluster.etcdctl("alarm", "disarm")
            #expect(becomes { (try? other.synchronize()) != nil })
            #expect(becomes { store.value(forKey: "a") == 2 })
        }
    }

    @Test func `stores that are released leave no descriptor and no task`() async throws {
        try await TestThread.run {
            let cluster = try SharedCluster.cluster
            func open() throws {
                let store = try SharedCluster.open("released/")
                let observation = store.observe(.all, initial: true) { _ in }
                observation.cancel()
            }
            func descriptors() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            }
            for _ in 0..<20 { try open() }
            #expect(try cluster.endpoints.count == 3)
            // The connections of released stores end on their own threads.
            usleep(500_000)
            let before = try descriptors()
            for _ in 0..<TestLevel.current.pick(200, thorough: 1000) { try open() }
            #expect(try becomes { try descriptors() <= before + 4 })
        }
    }
}
