import KeyspanCore
import KeyspanTestSupport
import Testing

@testable import KeyspanEtcd

/// Expectations of batches, which the cluster compares.
@Suite(.heavy, .serialized) struct ConflictTests {
    private let cluster = SimulatedCluster(members: 3)

    @Test(arguments: [EtcdStoreOptions.Writes.committed, .background()])
    func `a conflict is decided by the cluster, and its value is visible afterwards`(
        writes: EtcdStoreOptions.Writes
    ) throws {
        let store = try SimulatedStore(of: cluster) { $0.writes = writes }
        cluster.put("1", forKey: "app/key")
        expectError(.conflict) { try store.write(2, forKey: "key", expecting: nil) }
        #expect(store.value(forKey: "key") == 1)
        cluster.remove("app/key")
        expectError(.conflict) { try store.write(2, forKey: "key", expecting: 1) }
        #expect(store.value(forKey: "key") == nil)
        try store.write(2, forKey: "key", expecting: nil)
        try store.write(3, forKey: "key", expecting: 2)
        #expect(cluster.texts(prefix: "app/") == ["key": "3"])
    }

    /// The writer expects a value that the store had, one that it never had, or none.
    @Test(arguments: [1, 7, nil] as [PropertyListValue?], ["2", nil])
    func `a conflict whose value is not visible has a cause`(expected: PropertyListValue?, text: String?) throws {
        if expected == nil, text == nil { return }
        let store = try SimulatedStore(of: cluster) { $0.callTimeout = .seconds(1) }
        cluster.put("1", forKey: "app/key")
        store.waitFor(1, forKey: "key")
        cluster.change { $0.holdsWatches = true }
        if let text { cluster.put(text, forKey: "app/key") } else { cluster.remove("app/key") }
        do {
            try store.write(3, forKey: "key", expecting: expected)
            Issue.record("the expectation was not compared")
        } catch {
            #expect(error.code == .conflict)
            let present = text.map { _ in PropertyListValue.integer(2) }
            #expect(error.underlying != nil || store.value(forKey: "key") == present)
        }
    }

    @Test func `an equal value that was written anew is no conflict`() throws {
        let store = try SimulatedStore(of: cluster) { $0.timeout = .seconds(2) }
        cluster.put("1", forKey: "app/key")
        store.waitFor(1, forKey: "key")
        cluster.change { $0.holdsWatches = true }
        cluster.put("2", forKey: "app/key")
        cluster.put("1", forKey: "app/key")
        // The cluster has it; without the watch, nothing is shown.
        expectError(.notShown) { try store.write(3, forKey: "key", expecting: 1) }
        #expect(cluster.texts(prefix: "app/") == ["key": "3"])
    }

    @Test func `an expectation is met by a write that waits before it`() throws {
        let store = try SimulatedStore(of: cluster) { $0.writes = .background() }
        for number in 0..<20 {
            try store.write(.integer(PropertyListInteger(number)), forKey: "key")
            try store.write(true, forKey: "other", expecting: number == 0 ? nil : true)
            try store.write(
                .integer(PropertyListInteger(number + 1)),
                forKey: "key",
                expecting: .integer(PropertyListInteger(number))
            )
        }
        #expect(cluster.texts(prefix: "app/") == ["key": "20", "other": "true"])
    }

    @Test(arguments: [
        SimulatedFault.losesAnswer, .endsConnectionAfterwards, .losesRequest, .staysUnderWay, .fails(.busy),
    ])
    func `an update through expectations happens once`(_ fault: SimulatedFault) throws {
        let store = try SimulatedStore(of: cluster)
        try store.write(1, forKey: "key")
        cluster.inject(fault, into: .attempt)
        try store.write(2, forKey: "key", expecting: 1)
        cluster.deliverWhatIsUnderWay()
        #expect(cluster.count(ofWritesOf: "2") == 1)
        #expect(cluster.texts(prefix: "app/") == ["key": "2"])
    }

    @Test func `a lost attempt whose expectation fails later is a conflict and does not happen`() throws {
        let store = try SimulatedStore(of: cluster)
        try store.write(1, forKey: "key")
        cluster.inject(.staysUnderWay, into: .attempt)
        let write = BackgroundCall { try store.write(2, forKey: "key", expecting: 1) }
        eventually("the attempt is under way") { cluster.state.read { !$0.underWay.isEmpty } }
        cluster.put("5", forKey: "app/key")
        expectError(.conflict) { try write.result() }
        #expect(store.value(forKey: "key") == 5)
        cluster.put("1", forKey: "app/key")
        cluster.deliverWhatIsUnderWay()
        #expect(cluster.count(ofWritesOf: "2") == 0)
    }
}
