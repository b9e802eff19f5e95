import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanEtcd

/// Many changes of long ago that a watch delivers once more.
@Suite(.heavy, .serialized) struct ReplayTests {
    private let cluster = SimulatedCluster()

    @Test(arguments: [10, 499, 500, 600, 1500])
    func `keys that came and went between the listed ones do not make another history`(count: Int) throws {
        ReportedProblems.begin()
        cluster.put("1", forKey: "app/a")
        for _ in 0..<count {
            cluster.put("1", forKey: "app/x")
            cluster.remove("app/x")
        }
        let store = try SimulatedStore(of: cluster, name: "replay \(count)") { $0.callTimeout = .milliseconds(500) }
        eventually("connected", store.status.endpoint) { $0 != nil }
        for number in 0..<3 {
            let watches = cluster.count(of: .watch)
            cluster.breakConnections()
            eventually("the store watches again", cluster.count(of: .watch)) { $0 > watches }
            cluster.put("\(number)", forKey: number == 0 ? "elsewhere" : "app/b")
            store.waitFor(entriesOf: cluster)
            eventually("connected", store.status.endpoint) { $0 != nil }
        }
        #expect(store.engine.state.read(\.epoch) == 0)
        #expect(ReportedProblems.of(store).isEmpty)
    }

    @Test(arguments: [998, 999, 1000, 1001, 2000])
    func `a key that changed often is followed again`(count: Int) throws {
        ReportedProblems.begin()
        cluster.put("1", forKey: "app/a")
        for number in 0..<count { cluster.put("\(number)", forKey: "app/hot") }
        let store = try SimulatedStore(of: cluster, name: "hot \(count)") { $0.callTimeout = .milliseconds(500) }
        eventually("connected", store.status.endpoint) { $0 != nil }
        let watches = cluster.count(of: .watch)
        cluster.breakConnections()
        eventually("the store watches again", cluster.count(of: .watch)) { $0 > watches }
        eventually("connected", store.status.endpoint) { $0 != nil }
        #expect(store.engine.state.read(\.epoch) == 0)
        #expect(cluster.count(of: .list) == 1)
        #expect(ReportedProblems.of(store).isEmpty)
    }

    @Test func `an acknowledged write beyond a compacted, restored cluster is of another era`() throws {
        cluster.put("1", forKey: "app/k")
        let store = try SimulatedStore(of: cluster) { $0.writes = .background() }
        eventually("connected", store.status.endpoint) { $0 != nil }
        let backup = cluster.history.revision
        cluster.change { $0.holdsWatches = true }
        try store.write(2, forKey: "k")
        eventually("the write is acknowledged", store.engine.state.read { $0.queue.acknowledged.count }) { $0 == 1 }
        cluster.change { $0.isDown = true }
        eventually("the store has noticed", store.status.endpoint) { $0 == nil }
        cluster.restore(to: backup, cluster: 1)
        cluster.put("1", forKey: "elsewhere")
        cluster.compact()
        cluster.heal()
        eventually("connected", store.status.endpoint) { $0 != nil }
        #expect(store.texts == ["k": "1"])
        #expect(store.engine.state.read(\.epoch) == 1)
    }

    @Test(arguments: [10, 100, 999, 1500])
    func `a listing ends although larger pages take longer than a call may`(largest: Int64) throws {
        for number in 0..<3000 { cluster.put("1", forKey: "app/\(number)") }
        cluster.state.change { $0.largestPage = largest }
        let store = try SimulatedStore(of: cluster) { $0.timeout = .seconds(20) }
        print("pages: \(largest): \(cluster.count(of: .list)) calls")
        #expect(store.snapshot().count == 3000)
    }
}
