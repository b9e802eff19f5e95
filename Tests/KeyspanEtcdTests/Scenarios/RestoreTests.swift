import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanEtcd

/// Stores whose cluster has another history than before: shorter, of the same length, or longer.
@Suite(.heavy, .serialized) struct RestoreTests {
    private let cluster = SimulatedCluster(members: 2)

    /// Lets a store see `k=2`, which a restore then throws away.
    private func restoredCluster(
        name: String = "restored",
        _ configure: (inout EtcdStoreOptions) -> Void = { _ in },
        writing change: (SimulatedCluster) -> Void
    ) throws -> SimulatedStore {
        for key in ["other", "third", "k"] { cluster.put("1", forKey: "app/\(key)") }
        let store = try SimulatedStore(of: cluster, name: name, configure)
        let backup = cluster.history.revision
        cluster.put("2", forKey: "app/k")
        store.waitFor(2, forKey: "k")
        cluster.change { $0.isDown = true }
        eventually("the store has lost its member", store.status.endpoint) { $0 == nil }
        cluster.restore(to: backup, cluster: 1)
        change(cluster)
        cluster.heal()
        return store
    }

    /// The histories after the restore.
    enum NewHistory: CaseIterable {
        case shorter, sameKey, otherKey, removal, elsewhere, longer, overwritten, compacted, compactedElsewhere

        func write(to cluster: SimulatedCluster) {
            switch self {
            case .shorter: break
            case .sameKey: cluster.put("3", forKey: "app/k")
            case .otherKey: cluster.put("99", forKey: "app/other")
            case .removal: cluster.remove("app/k")
            case .elsewhere: for _ in 0..<9 { cluster.put("1", forKey: "elsewhere") }
            case .longer:
                cluster.put("99", forKey: "app/other")
                for number in 0..<5 { cluster.put("\(number)", forKey: "app/third") }
            case .overwritten: for number in 0..<30 { cluster.put("\(number)", forKey: "app/k") }
            case .compacted:
                cluster.put("3", forKey: "app/k")
                cluster.compact()
            case .compactedElsewhere:
                cluster.put("1", forKey: "elsewhere")
                cluster.compact()
            }
        }
    }

    @Test(arguments: NewHistory.allCases)
    func `readers see the values of a restored cluster, and no expectation of the lost ones holds`(
        _ history: NewHistory
    ) throws {
        ReportedProblems.begin()
        let store = try restoredCluster(name: "restored \(history)") { history.write(to: $0) }
        let present = cluster.texts(prefix: "app/")
        expectError(.conflict) { try store.write(20, forKey: "k", expecting: 2) }
        store.waitFor(entriesOf: cluster)
        #expect(cluster.texts(prefix: "app/") == present)
        eventually("the restore is reported", ReportedProblems.of(store)) { $0.contains { $0.contains("restored") } }
        try store.write(21, forKey: "k")
        #expect(store.texts == cluster.texts(prefix: "app/"))
    }

    @Test func `a large entry that both histories have last does not make them alike`() throws {
        let large = String(repeating: "1", count: RecentChanges.largestSize)
        cluster.put("1", forKey: "app/k")
        let store = try SimulatedStore(of: cluster)
        let backup = cluster.history.revision
        for (key, text) in [("k", "2"), ("large", "\"\(large)\"")] { cluster.put(text, forKey: "app/\(key)") }
        store.waitFor(entriesOf: cluster)
        cluster.change { $0.isDown = true }
        eventually("the store has lost its member", store.status.endpoint) { $0 == nil }
        cluster.restore(to: backup, cluster: 1)
        for (key, text) in [("k", "3"), ("large", "\"\(large)\"")] { cluster.put(text, forKey: "app/\(key)") }
        cluster.heal()
        expectError(.conflict) { try store.write(20, forKey: "k", expecting: 2) }
        #expect(store.value(forKey: "k") == 3)
    }

    /// As a member does that served one write to a store and died before the others had it, for which all need to lose their disks.
    @Test func `a write in the background that a restore has thrown away does not cover the values`() throws {
        cluster.put("1", forKey: "app/k")
        let store = try SimulatedStore(of: cluster) { $0.writes = .background() }
        let backup = cluster.history.revision
        cluster.change { $0.holdsWatches = true }
        try store.write(2, forKey: "k")
        eventually("the write is acknowledged", store.engine.state.read { $0.queue.acknowledged.count }) { $0 == 1 }
        cluster.change { $0.isDown = true }
        cluster.restore(to: backup, cluster: 1)
        cluster.put("3", forKey: "app/k")
        cluster.heal()
        store.waitFor(texts: ["k": "3"])
        #expect(store.engine.state.read { $0.queue.acknowledged.isEmpty })
    }

    @Test func `a lower term alone shows another history`() throws {
        cluster.put("1", forKey: "app/k")
        cluster.state.change { $0.history.term = 5 }
        let store = try SimulatedStore(of: cluster)
        store.waitFor(texts: ["k": "1"])
        let epoch = store.engine.state.read(\.epoch)
        cluster.state.change { $0.history.term = 2 }
        cluster.breakConnections()
        eventually("the store begins a new era", store.engine.state.read(\.epoch)) { $0 == epoch + 1 }
    }

    @Test(arguments: [false, true])
    func `a store of the same history goes on without a listing`(isCompacted: Bool) throws {
        for number in 0..<40 { cluster.put("\(number)", forKey: "app/\(number % 7)") }
        let store = try SimulatedStore(of: cluster)
        cluster.remove("app/3")
        store.waitFor(entriesOf: cluster)
        if isCompacted { cluster.compact() }
        for number in 0..<5 {
            cluster.breakConnections()
            cluster.put("\(number)", forKey: "app/new")
            store.waitFor(entriesOf: cluster)
        }
        #expect(cluster.count(of: .list) == 1)
        #expect(store.engine.state.read(\.epoch) == 0)
        // One comparison for each connection.
        #expect(cluster.count(of: .learn) == 5)
    }
}
