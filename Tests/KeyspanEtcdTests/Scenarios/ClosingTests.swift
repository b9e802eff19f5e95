import Foundation
import KeyspanCore
import KeyspanTestSupport
import Testing

@testable import KeyspanEtcd

/// Stores that end their use of the cluster.
@Suite(.heavy, .serialized) struct ClosingTests {
    private let cluster = SimulatedCluster(members: 2)

    @Test func `a closed store gives back its lease, refuses writes and goes on reading`() throws {
        for writes in [EtcdStoreOptions.Writes.committed, .background()] {
            let store = try SimulatedStore(of: cluster) { ($0.writes, $0.callTimeout) = (writes, .seconds(20)) }
            try store.write(1, forKey: "key")
            try store.close()
            #expect(cluster.history.leases.isEmpty)
            #expect(cluster.history.entries.keys.map { String(decoding: $0, as: UTF8.self) } == ["app/key"])
            let error = expectError(.notApplied) { try store.write(2, forKey: "key") }
            #expect(error?.reason.contains("closed") == true)
            expectError(.notApplied) { try store.write(2, forKey: "key", expecting: 1) }
            expectError(.notApplied) { try store.engine.commitDurably(PropertyListBatch(.set(2, key: "key"))) }
            #expect(store.value(forKey: "key") == 1)
            try store.synchronize()
            try store.close()
            eventually("the status says that the values may be old", store.status.staleSince) { $0 != nil }
        }
    }

    @Test func `a store that has written nothing closes at once`() throws {
        let store = try SimulatedStore(of: cluster)
        try store.close()
        #expect(cluster.count(of: .lease) + cluster.count(of: .revocation) == 0)
        expectError(.notApplied) { try store.write(1, forKey: "key") }
    }

    @Test func `a close sends the writes that wait, and several threads may ask for it`() throws {
        let store = try SimulatedStore(of: cluster) { ($0.writes, $0.callTimeout) = (.background(), .seconds(20)) }
        cluster.change { $0.isFrozen = true }
        for number in 0..<200 { try store.write(.integer(PropertyListInteger(number)), forKey: "key\(number)") }
        let calls = (0..<3).map { _ in BackgroundCall { try store.close() } }
        eventually("the store takes no more writes") { (try? store.write(1, forKey: "late")) == nil }
        cluster.heal()
        for call in calls { try call.result() }
        #expect(cluster.texts(prefix: "app/").count == 200 + (store.value(forKey: "late") == nil ? 0 : 1))
        #expect(cluster.history.leases.isEmpty)
    }

    @Test func `a close waits for a write for which another thread waits`() throws {
        let store = try SimulatedStore(of: cluster) { $0.callTimeout = .seconds(20) }
        cluster.change { $0.isFrozen = true }
        let write = BackgroundCall { try store.write(1, forKey: "key") }
        store.waitForFlight()
        let close = BackgroundCall { try store.close() }
        eventually("the store takes no more writes", store.engine.state.read(\.isReleased)) { $0 }
        #expect(!close.isDone)
        cluster.heal()
        try write.result()
        try close.result()
        #expect(cluster.texts(prefix: "app/") == ["key": "1"])
        #expect(cluster.history.leases.isEmpty)
    }

    @Test func `a close without the cluster ends, and says what was not sent`() throws {
        let store = try SimulatedStore(of: cluster, patience: .seconds(60)) {
            ($0.writes, $0.timeout) = (.background(), .milliseconds(300))
        }
        try store.write(1, forKey: "sent")
        store.waitUntilSynchronized()
        cluster.change { $0.isDown = true }
        try store.write(2, forKey: "unsent")
        expectError(.notDurable) { try store.close() }
        #expect(store.texts == ["sent": "1", "unsent": "2"])
        expectError(.notDurable) { try store.close() }
        cluster.heal()
        let other = try SimulatedStore(of: cluster)
        try other.close()
        #expect(cluster.texts(prefix: "app/") == ["sent": "1"])
    }

    @Test func `a lost answer to a close or a grant leaves no lease`() throws {
        for call in [SimulatedCall.lease, .establishment, .revocation] {
            for fault in [SimulatedFault.losesAnswer, .endsConnectionAfterwards, .happensAndFails(.unavailable)] {
                let store = try SimulatedStore(of: cluster) { $0.callTimeout = .milliseconds(200) }
                cluster.inject(fault, into: call)
                try store.write(1, forKey: "key")
                try store.close()
                eventually("no lease is left after \(fault) of \(call)", cluster.history.leases.count) { $0 == 0 }
                #expect(cluster.history.entries.count == 1)
            }
        }
    }

    /// The attempt expects a marker that is gone, and its lease too.
    @Test(arguments: [false, true])
    func `an attempt that is under way when its store ends has no effect later`(isFirst: Bool) throws {
        let store = try SimulatedStore(of: cluster, patience: .seconds(60)) {
            ($0.timeout, $0.callTimeout) = (.milliseconds(500), .milliseconds(200))
        }
        if !isFirst { try store.write(0, forKey: "before") }
        cluster.inject([.staysUnderWay] + Array(repeating: .fails(.busy), count: 1000), into: .attempt)
        cluster.inject(Array(repeating: .fails(.busy), count: 1000), into: .giveUp)
        expectError(.outcomeUnknown) { try store.write("late", forKey: "key") }
        try store.close()
        eventually("no lease is left", cluster.history.leases.count) { $0 == 0 }
        cluster.deliverWhatIsUnderWay()
        cluster.put("1", forKey: "app/other")
        #expect(cluster.count(ofWritesOf: "\"late\"") == 0)
        #expect(cluster.history.entries.keys.count { $0.starts(with: Data("app/.keyspan/".utf8)) } == 0)
    }

    @Test func `a store that is released in the middle of a write leaves no lease`() throws {
        var store: SimulatedStore? = try SimulatedStore(of: cluster) {
            ($0.writes, $0.callTimeout) = (.background(), .seconds(20))
        }
        cluster.inject(.takes(.milliseconds(20)), into: .establishment)
        try store?.write(1, forKey: "key")
        weak let engine = store?.engine
        store = nil
        eventually("the engine is gone") { engine == nil }
        #expect(cluster.history.leases.isEmpty)
        #expect(cluster.texts(prefix: "app/") == ["key": "1"])
    }
}
