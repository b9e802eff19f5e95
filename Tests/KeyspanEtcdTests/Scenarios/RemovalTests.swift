import Foundation
import KeyspanCore
import KeyspanTestSupport
import Testing

@testable import KeyspanEtcd

/// Removals from a cluster whose space is used up.
@Suite(.heavy, .serialized) struct RemovalTests {
    private let cluster = SimulatedCluster(members: 2)

    init() {
        for name in ["a", "b", "c"] { cluster.put("1", forKey: "app/\(name)") }
    }

    private func fill(_ isFull: Bool = true) {
        cluster.state.change { $0.history.limits.isFull = isFull }
    }

    @Test(arguments: [
        SimulatedFault.losesAnswer, .endsConnectionAfterwards, .losesRequest, .endsConnection, .fails(.busy),
        .fails(.unavailable), .takes(.milliseconds(600)),
    ])
    func `a removal without space happens, whatever becomes of its first attempt`(_ fault: SimulatedFault) throws {
        for hasMarker in [false, true] {
            // On a loaded machine, no other call than the first attempt takes so long.
            let store = try SimulatedStore(of: cluster) { $0.callTimeout = .milliseconds(500) }
            fill(false)
            cluster.put("1", forKey: "app/a")
            if hasMarker { try store.write(1, forKey: "before") }
            store.waitFor(1, forKey: "a")
            fill()
            cluster.inject(fault, into: .attempt)
            try store.write(nil, forKey: "a")
            #expect(store.value(forKey: "a") == nil)
            #expect(cluster.texts(prefix: "app/")["a"] == nil)
        }
    }

    @Test func `a removal that arrives late leaves what was written in the meantime`() throws {
        let store = try SimulatedStore(of: cluster, patience: .seconds(60)) { $0.timeout = .milliseconds(300) }
        fill()
        cluster.inject([.staysUnderWay] + Array(repeating: .fails(.unavailable), count: 1000), into: .attempt)
        expectError(.outcomeUnknown) { try store.write(nil, forKey: "a") }
        fill(false)
        cluster.put("2", forKey: "app/a")
        cluster.deliverWhatIsUnderWay()
        #expect(cluster.texts(prefix: "app/")["a"] == "2")
    }

    @Test func `a removal is not repeated after it happened and others have written`() throws {
        let store = try SimulatedStore(of: cluster)
        fill()
        cluster.change { $0.holdsWatches = true }
        cluster.inject([.endsConnectionAfterwards] + Array(repeating: .losesRequest, count: 1000), into: .attempt)
        let call = BackgroundCall { try store.write(nil, forKey: "a") }
        eventually("2 attempts are made", cluster.count(of: .attempt)) { $0 >= 2 }
        fill(false)
        cluster.put("2", forKey: "app/a")
        cluster.heal()
        expectError(.outcomeUnknown) { try call.result() }
        #expect(cluster.texts(prefix: "app/")["a"] == "2")
    }

    @Test func `a removal takes what others wrote before it, though the watch is behind`() throws {
        let store = try SimulatedStore(of: cluster)
        cluster.change { $0.holdsWatches = true }
        cluster.put("2", forKey: "app/a")
        fill()
        let call = BackgroundCall { try store.write(nil, forKey: "a") }
        eventually("the entry is gone", cluster.texts(prefix: "app/")) { $0["a"] == nil }
        cluster.change { $0.holdsWatches = false }
        try call.result()
        #expect(store.value(forKey: "a") == nil)
    }

    @Test func `the removal of all keys leaves unreadable entries, without space too`() throws {
        cluster.put("{", forKey: "app/unreadable")
        let store = try SimulatedStore(of: cluster) { $0.writes = .background() }
        fill()
        try store.apply(PropertyListBatch(.removeAll))
        try store.synchronize()
        #expect(cluster.texts(prefix: "app/") == ["unreadable": "{"])
        #expect(store.texts.isEmpty)
    }

    @Test func `a removal with expectations waits for space or is refused, as other writes are`() throws {
        let store = try SimulatedStore(of: cluster)
        fill()
        expectError(.notApplied) { try store.write(nil, forKey: "a", expecting: 1) }
        expectError(.notApplied) { try store.write(2, forKey: "a") }
        #expect(cluster.texts(prefix: "app/")["a"] == "1")
        fill(false)
        try store.write(nil, forKey: "a", expecting: 1)
        #expect(store.value(forKey: "a") == nil)
    }
}
