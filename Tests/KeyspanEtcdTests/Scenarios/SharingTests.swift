import Foundation
import KeyspanCore
import KeyspanTestSupport
import Testing

@testable import KeyspanEtcd

/// How the stores of a process share a connection to a simulated cluster.
@Suite(.heavy, .serialized) struct SharingTests {
    private let cluster = SimulatedCluster(members: 3)

    private func open(_ count: Int) throws -> [SimulatedStore] {
        let stores = try (0..<count).map { try SimulatedStore(of: cluster, prefix: "tenant\($0)/") }
        for store in stores { eventually("it watches a member", store.status.endpoint) { $0 != nil } }
        return stores
    }

    /// The connections that are open.
    private var connections: [Int] {
        cluster.state.read { state in (1...max(state.lastConnection, 1)).filter { !state.ended.contains($0) } }
    }

    private func session(of store: SimulatedStore) -> (any ClusterCalls)? { store.engine.state.read(\.calls) }

    @Test func `stores share one connection and its probes, and leave it together`() throws {
        var stores = try open(30)
        #expect(connections == [1] && cluster.state.read(\.lastConnection) == 1)
        // Each store of its own would make one of these in that time.
        eventually("three probes are made", cluster.count(of: .count)) { $0 >= 3 }
        #expect(cluster.count(of: .count) < 30)
        // Also that of a store whose key no probe reads.
        for store in stores { #expect(session(of: store)?.lastProof != nil) }
        for number in 2...3 {
            cluster.breakConnections()
            for (index, store) in stores.enumerated() {
                cluster.put("\(number)", forKey: "tenant\(index)/key")
                store.waitFor(texts: ["key": "\(number)"])
            }
            #expect(cluster.state.read(\.lastConnection) == number)
        }
        stores = []
        eventually("the connection is closed", connections) { !$0.contains(3) }
    }

    @Test func `stores share the attempts to connect, which begin anew for a new store`() throws {
        cluster.change { $0.isDown = true }
        let calls = (0..<50).map { number in
            BackgroundCall {
                try SimulatedStore(of: cluster, prefix: "tenant\(number)/") { $0.timeout = .seconds(2) }
            }
        }
        for call in calls { #expect(throws: StoreError.self) { try call.result() } }
        // Each store of its own would make ten.
        #expect(cluster.state.read(\.attempts) < 40)
    }

    @Test func `stores share the pauses between connections that serve none of them`() throws {
        let stores = try open(50)
        cluster.change { $0.hasNoLeader = true }
        #expect(throws: StoreError.self) {
            try SimulatedStore(of: cluster, prefix: "other/") { $0.timeout = .seconds(2) }
        }
        // Stores that make pauses of their own alone have some hundred.
        #expect(cluster.state.read(\.lastConnection) < 60)
        cluster.change { $0.hasNoLeader = false }
        for (index, store) in stores.enumerated() {
            cluster.put("2", forKey: "tenant\(index)/key")
            store.waitFor(texts: ["key": "2"])
        }
    }

    @Test func `one store that has no answer does not take the others along`() throws {
        let stores = try open(5)
        let before = stores.map { session(of: $0) }
        let endpoint = stores[0].status.endpoint
        cluster.inject(.losesRequest, into: .attempt)
        try stores[0].write(1, forKey: "key")
        // On another member.
        #expect(cluster.state.read(\.lastConnection) == 2)
        #expect(stores[0].status.endpoint != endpoint)
        for (store, session) in zip(stores, before).dropFirst() { #expect(self.session(of: store) === session) }
        eventually("the first connection has answered a probe", cluster.count(of: .count)) { $0 >= 1 }
        // It is as good as before for others.
        let other = try SimulatedStore(of: cluster, prefix: "other/")
        eventually("it watches a member", other.status.endpoint) { $0 != nil }
        #expect(cluster.state.read(\.lastConnection) == 2)
    }

    @Test func `a connection that answers no probe after a store has given it up ends for all`() throws {
        let stores = try open(5)
        cluster.inject(.losesRequest, into: .count)
        cluster.inject(.losesRequest, into: .attempt)
        try stores[0].write(1, forKey: "key")
        let first = connections.first
        eventually("the first connection has ended", connections) { !$0.contains(1) }
        for (index, store) in stores.enumerated() {
            cluster.put("2", forKey: "tenant\(index)/key")
            store.waitFor(texts: ["key": "2"])
        }
        #expect(connections.count == 1 && first != nil)
    }

    @Test func `more stores than a connection has streams have another one`() throws {
        cluster.state.change { $0.sessionLimit = 4 }
        let stores = try open(10)
        #expect(cluster.state.read(\.lastConnection) == 3)
        #expect(Set(stores.map { $0.status.endpoint }).count == 3)
    }

    @Test func `a session that ends for a reason of its store's own begins anew on the same connection`() throws {
        let stores = try open(2)
        cluster.put("1", forKey: "tenant0/lost")
        stores[0].waitFor(texts: ["lost": "1"])
        cluster.state.change { $0.hiddenRemovals = 1 }
        cluster.remove("tenant0/lost")
        eventually("the removal is lost", cluster.state.read(\.hiddenRemovals)) { $0 == 0 }
        cluster.announceProgress()
        stores[0].waitFor(texts: [:])
        #expect(cluster.state.read(\.lastConnection) == 1)
    }
}
