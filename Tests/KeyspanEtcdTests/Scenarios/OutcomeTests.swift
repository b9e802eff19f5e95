import Foundation
import KeyspanCore
import KeyspanTestSupport
import Testing

@testable import KeyspanEtcd

/// What becomes of a write whose answer does not arrive.
@Suite(.heavy, .serialized) struct OutcomeTests {
    private let cluster = SimulatedCluster(members: 3)

    @Test(arguments: [
        SimulatedFault.losesAnswer, .happensAndFails(.unavailable), .endsConnectionAfterwards, .losesRequest,
        .endsConnection, .fails(.unavailable), .fails(.busy), .takes(.milliseconds(20)), .takes(.milliseconds(70)),
    ])
    func `a write happens once, whatever becomes of its first attempt`(_ fault: SimulatedFault) throws {
        for isFirst in [true, false] {
            let store = try SimulatedStore(of: cluster)
            if !isFirst { try store.write(0, forKey: "before") }
            cluster.inject(fault, into: .attempt)
            let value = "\(fault) \(isFirst)"
            try store.write(.string(value), forKey: "key")
            #expect(store.value(forKey: "key") == .string(value))
            #expect(cluster.count(ofWritesOf: "\"\(value)\"") == 1)
        }
    }

    @Test func `a write is decided though the watch has decided the one before`() throws {
        let store = try SimulatedStore(of: cluster)
        try store.write(0, forKey: "before")
        // The watch delivers the first transaction while its answer is awaited.
        cluster.inject(.losesAnswer, .losesRequest, into: .attempt)
        try store.write(1, forKey: "first")
        #expect(throws: Never.self) { try store.write(2, forKey: "second") }
        #expect(cluster.history.entries.keys.count { $0.starts(with: Data("app/.keyspan/".utf8)) } == 1)
    }

    @Test func `an attempt that arrives after the next one has no effect`() throws {
        let store = try SimulatedStore(of: cluster)
        cluster.inject(.staysUnderWay, into: .attempt)
        try store.write("first", forKey: "key")
        try store.write("second", forKey: "key")
        cluster.deliverWhatIsUnderWay()
        try store.write("third", forKey: "other")
        #expect(cluster.count(ofWritesOf: "\"first\"") == 1)
        #expect(cluster.texts(prefix: "app/") == ["key": "\"second\"", "other": "\"third\""])
        #expect(store.texts == cluster.texts(prefix: "app/"))
    }

    @Test func `a write that was given up does not happen late`() throws {
        let store = try SimulatedStore(of: cluster) { $0.timeout = .seconds(2) }
        cluster.inject([.staysUnderWay] + Array(repeating: .fails(.unavailable), count: 100), into: .attempt)
        expectError(.outcomeUnknown) { try store.write("late", forKey: "key") }
        // The next write waits until the one before it is decided.
        cluster.state.change { $0.faults = [:] }
        try store.write("next", forKey: "other")
        cluster.deliverWhatIsUnderWay()
        #expect(cluster.count(ofWritesOf: "\"late\"") == 0)
        #expect(store.texts == cluster.texts(prefix: "app/"))
    }

    @Test func `a write that happened and was given up becomes visible`() throws {
        cluster.put("1", forKey: "app/before")
        let store = try SimulatedStore(of: cluster) { $0.timeout = .seconds(2) }
        cluster.change { $0.holdsWatches = true }
        let faults = [.endsConnectionAfterwards] + Array(repeating: SimulatedFault.losesRequest, count: 100)
        cluster.inject(faults, into: .attempt)
        expectError(.outcomeUnknown) { try store.write("late", forKey: "key") }
        cluster.heal()
        store.waitFor("late", forKey: "key")
        #expect(cluster.count(ofWritesOf: "\"late\"") == 1)
    }

    @Test func `observers are notified of a write that was given up and had happened, once a watch delivers it`()
        throws
    {
        let store = try SimulatedStore(of: cluster) { ($0.timeout, $0.callTimeout) = (.seconds(1), .seconds(20)) }
        let changes = ChangedKeys(of: store)
        cluster.change { $0.holdsWatches = true }
        cluster.inject(.takes(.seconds(2)), into: .attempt)
        expectError(.outcomeUnknown) { try store.write("late", forKey: "key") }
        cluster.change { $0.holdsWatches = false }
        store.waitFor("late", forKey: "key")
        changes.waitFor([["key"]])
    }

    @Test func `a write that was given up and had no effect is not sent anew`() throws {
        let store = try SimulatedStore(of: cluster) { ($0.timeout, $0.callTimeout) = (.seconds(1), .seconds(20)) }
        cluster.inject(.failsLate(.busy, .seconds(2)), into: .attempt)
        expectError(.outcomeUnknown) { try store.write("late", forKey: "key") }
        // Transactions are sent one after the other.
        eventually("a later write is done") { (try? store.write(1, forKey: "later")) != nil }
        #expect(cluster.count(ofWritesOf: "\"late\"") == 0)
    }

    @Test func `a write is not refused for want of space although it happened`() throws {
        let store = try SimulatedStore(of: cluster)
        // The member that applies the transaction with which the quota is exceeded applies it, and answers with the error.
        cluster.inject(.happensAndFails(.noSpace), into: .attempt)
        #expect(throws: Never.self) { try store.write("full", forKey: "key") }
        #expect(cluster.count(ofWritesOf: "\"full\"") == 1)
    }

    @Test func `a write is refused at once if there is no space for the lease that it needs`() throws {
        let store = try SimulatedStore(of: cluster)
        cluster.inject(.fails(.noSpace), into: .lease)
        expectError(.notApplied) { try store.write("full", forKey: "key") }
        #expect(throws: Never.self) { try store.write("room", forKey: "key") }
    }

    @Test func `a write in the background is not refused after the watch has delivered it`() throws {
        let store = try SimulatedStore(of: cluster) {
            ($0.writes, $0.callTimeout) = (.background(), .seconds(20))
        }
        cluster.change { $0.holdsWatches = true }
        cluster.inject(.endsConnectionAfterwards, .failsLate(.unauthorized, .seconds(2)), into: .attempt)
        cluster.inject(.fails(.unauthorized), into: .giveUp)
        try store.write("once", forKey: "key")
        eventually("2 attempts are made", cluster.count(of: .attempt)) { $0 == 2 }
        cluster.change { $0.holdsWatches = false }
        #expect(throws: Never.self) { try store.synchronize() }
        // The next transaction is sent once the first one is over.
        try store.write(1, forKey: "next")
        #expect(throws: Never.self) { try store.synchronize() }
        #expect(store.value(forKey: "key") == "once")
    }

    @Test func `a write in the background that happened is not repeated after its lease has ended`() throws {
        cluster.put("1", forKey: "app/before")
        let store = try SimulatedStore(of: cluster) { $0.writes = .background() }
        cluster.change { $0.holdsWatches = true }
        cluster.inject(.endsConnectionAfterwards, .losesRequest, into: .attempt)
        try store.write("mine", forKey: "key")
        eventually("2 attempts are made", cluster.count(of: .attempt)) { $0 == 2 }
        cluster.state.change { $0.history.endLeases() }
        cluster.put("\"theirs\"", forKey: "app/key")
        expectError(.outcomeUnknown) { try store.synchronize() }
        cluster.change { $0.holdsWatches = false }
        #expect(cluster.count(ofWritesOf: "\"mine\"") == 1)
    }

    @Test func `a lease that ends between two writes does not matter`() throws {
        for writes in [EtcdStoreOptions.Writes.committed, .background()] {
            let store = try SimulatedStore(of: cluster) { $0.writes = writes }
            try store.write(1, forKey: "first")
            try store.synchronize()
            cluster.state.change { $0.history.endLeases() }
            try store.write(2, forKey: "second")
            try store.synchronize()
            #expect(cluster.texts(prefix: "app/") == ["first": "1", "second": "2"])
            store.waitFor(entriesOf: cluster)
        }
    }

    @Test func `a member that refuses the user is the cause, whatever the others fail by`() throws {
        let store = try SimulatedStore(of: cluster, patience: .seconds(60)) { $0.timeout = .seconds(1) }
        for call in [SimulatedCall.list, .learn, .watch] {
            cluster.inject(Array(repeating: .fails(.unauthorized), count: 1000), into: call)
        }
        for member in 1...2 { cluster.change(member: member) { $0.isDown = true } }
        cluster.breakConnections()
        eventually("a member has refused the user", store.status.problem) { $0?.contains("fault") == true }
        for _ in 0..<5 { expectError(.unauthorized) { try store.write(1, forKey: "key") } }
        cluster.state.change { $0.faults = [:] }
        eventually("a write succeeds") { (try? store.write(1, forKey: "key")) != nil }
    }
}
