import KeyspanCore
import KeyspanTestSupport
import Testing

@testable import KeyspanEtcd

/// Writes that take effect at once and are sent in the background.
@Suite(.heavy, .serialized) struct BackgroundTests {
    private let cluster = SimulatedCluster(members: 2)

    private func open(
        prefix: String = "app/",
        limit: Int = 10_000,
        _ configure: (inout EtcdStoreOptions) -> Void = { _ in }
    ) throws -> SimulatedStore {
        try SimulatedStore(of: cluster, prefix: prefix, patience: .seconds(60)) {
            $0.writes = .background(limit: limit)
            configure(&$0)
        }
    }

    @Test func `writes wait while no member answers, over what others write`() throws {
        let store = try open()
        cluster.put("1", forKey: "app/both")
        store.waitFor(texts: ["both": "1"])
        cluster.change { $0.isDown = true }
        try store.write(2, forKey: "both")
        try store.write(2, forKey: "mine")
        cluster.put("3", forKey: "app/both")
        cluster.put("3", forKey: "app/theirs")
        #expect(store.texts == ["both": "2", "mine": "2"])
        #expect(store.status.pendingKeys == 2)
        cluster.heal()
        try store.synchronize()
        store.waitFor(texts: ["both": "2", "mine": "2", "theirs": "3"])
        #expect(cluster.texts(prefix: "app/") == store.texts)
        #expect(store.status.pendingKeys == 0)
    }

    @Test func `writes wait over a listing after a compaction`() throws {
        let store = try open()
        cluster.put("1", forKey: "app/both")
        store.waitFor(texts: ["both": "1"])
        cluster.change { $0.isDown = true }
        try store.write(nil, forKey: "both")
        try store.write(2, forKey: "mine")
        cluster.put("3", forKey: "app/both")
        cluster.put("3", forKey: "app/mine")
        cluster.compact()
        let changes = ChangedKeys(of: store)
        cluster.heal()
        try store.synchronize()
        eventually("the cluster has the writes", cluster.texts(prefix: "app/")) { $0 == ["mine": "2"] }
        store.waitFor(texts: ["mine": "2"])
        // Nothing that readers see has changed before this write.
        try store.write(1, forKey: "last")
        changes.waitFor([["last"]])
    }

    @Test func `a refused write goes back and is reported by the next synchronization`() throws {
        let store = try open()
        cluster.put("1", forKey: "app/key")
        store.waitFor(1, forKey: "key")
        cluster.inject(.fails(.unauthorized), into: .attempt)
        try store.write(2, forKey: "key")
        expectError(.unauthorized) { try store.synchronize() }
        #expect(store.value(forKey: "key") == 1)
        try store.synchronize()
        try store.write(3, forKey: "key")
        try store.synchronize()
        #expect(cluster.texts(prefix: "app/") == ["key": "3"])
    }

    @Test func `a refused write takes no others along`() throws {
        let store = try open()
        cluster.put("0", forKey: "app/50")
        store.waitFor(0, forKey: "50")
        cluster.state.change { $0.history.limits.forbidden = ["app/50", "app/70"] }
        cluster.change { $0.isDown = true }
        try store.write(1, forKey: "0")
        // No later write is part of a transaction before all of them are there.
        store.waitForFlight()
        for key in 1..<100 { try store.write(1, forKey: "\(key)") }
        // These are committed together or not at all.
        var batch = PropertyListBatch()
        for key in ["60", "70", "80"] { batch.set(2, forKey: key) }
        try store.apply(batch)
        try store.write(3, forKey: "90")
        cluster.heal()
        expectError(.unauthorized) { try store.synchronize() }
        #expect(store.value(forKey: "50") == 0)
        for key in ["60", "70", "80"] { #expect(store.value(forKey: key) == nil) }
        #expect(store.value(forKey: "90") == 3)
        #expect(store.texts.count == 97)
        #expect(cluster.texts(prefix: "app/") == store.texts)
        #expect(store.status.pendingKeys == 0)
    }

    @Test(arguments: [false, true])
    func `no write is lost while a transaction is divided and answers are`(isDuringPart: Bool) throws {
        let store = try open()
        cluster.state.change { $0.history.limits.forbidden = ["app/bad"] }
        cluster.change { $0.isDown = true }
        try store.write(1, forKey: "first")
        store.waitForFlight()
        for key in ["a", "b", "c", "bad"] { try store.write(1, forKey: key) }
        // The first write, the others together, and the first part of them.
        let quick = SimulatedFault.takes(.milliseconds(1))
        for fault in isDuringPart ? [quick, quick, .endsConnection] : [quick, .endsConnection] {
            cluster.inject(fault, into: .attempt)
        }
        cluster.inject(.happensAndFails(.unavailable), into: .giveUp)
        cluster.change { $0.isDown = false }
        expectError(.unauthorized) { try store.synchronize() }
        #expect(cluster.texts(prefix: "app/") == ["first": "1", "a": "1", "b": "1", "c": "1"])
        store.waitFor(entriesOf: cluster)
    }

    @Test(arguments: ["app/unreadable", "app/nested/.keyspan/writers/"])
    func `the removal of all keys takes no later writes along, whatever else the prefix has`(foreign: String) throws {
        for number in 0..<40 { cluster.put("{", forKey: "\(foreign)\(number)") }
        for number in 0..<100 { cluster.put("1", forKey: "app/old\(number)") }
        let store = try open()
        cluster.change { $0.isDown = true }
        try store.write(1, forKey: "first")
        store.waitForFlight()
        var batch = PropertyListBatch()
        batch.removeAll()
        try store.apply(batch)
        for number in 0..<60 { try store.write(1, forKey: "new\(number)") }
        cluster.change { $0.isDown = false }
        try store.synchronize()
        #expect(store.snapshot().count == 60)
        #expect(cluster.texts(prefix: "app/").keys.count { $0.hasPrefix("new") } == 60)
        #expect(!cluster.texts(prefix: "app/").keys.contains { $0.hasPrefix("old") })
    }

    @Test func `a user that may write nothing is refused whole transactions`() throws {
        let store = try open()
        cluster.change { $0.isDown = true }
        for key in 0..<50 { try store.write(1, forKey: "\(key)") }
        cluster.state.change { $0.history.limits.isReadOnly = true }
        cluster.change { $0.isDown = false }
        expectError(.unauthorized) { try store.synchronize() }
        store.waitFor(texts: [:])
        // The first key, and the others together.
        #expect(cluster.count(of: .attempt) <= 2)
    }

    @Test func `a transaction whose outcome is unknown is not divided and sent again`() throws {
        let store = try open()
        cluster.change { $0.isDown = true }
        try store.write("mine", forKey: "first")
        // The others then share an entry that is not on its way yet.
        store.waitForFlight()
        for key in ["a", "b"] { try store.write("mine", forKey: key) }
        let busy = Array(repeating: SimulatedFault.fails(.busy), count: 1000)
        cluster.inject([.takes(.milliseconds(1))] + busy, into: .attempt)
        cluster.change { $0.isDown = false }
        eventually("the store shows the first one as committed", store.status.pendingKeys) { $0 == 2 }
        cluster.change { $0.holdsWatches = true }
        cluster.state.change { $0.faults[.attempt] = [.endsConnectionAfterwards, .losesRequest] }
        eventually("2 attempts are made", cluster.state.read(\.faults[.attempt])) { $0?.isEmpty ?? true }
        cluster.state.change { $0.history.endLeases() }
        for key in ["a", "b"] { cluster.put("\"theirs\"", forKey: "app/\(key)") }
        expectError(.outcomeUnknown) { try store.synchronize() }
        cluster.change { $0.holdsWatches = false }
        try store.synchronize()
        #expect(cluster.texts(prefix: "app/") == ["first": "\"mine\"", "a": "\"theirs\"", "b": "\"theirs\""])
        store.waitFor(entriesOf: cluster)
    }

    @Test func `the outcome of a commit is that of its own batch`() throws {
        let store = try open()
        cluster.state.change { $0.history.limits.forbidden = ["app/a"] }
        try store.write(1, forKey: "a")
        try store.engine.commitDurably(PropertyListBatch(.set(1, key: "b")))
        #expect(store.texts == ["b": "1"])
        expectError(.unauthorized) { try store.engine.commitDurably(PropertyListBatch(.set(2, key: "a"))) }
        // The other one that was refused is reported where it belongs.
        expectError(.unauthorized) { try store.synchronize() }
        try store.synchronize()
    }

    @Test func `no more keys wait than the limit`() throws {
        let store = try open(limit: 3)
        cluster.change { $0.isDown = true }
        for key in ["a", "b", "c"] { try store.write(1, forKey: key) }
        expectError(.unreachable) { try store.write(1, forKey: "d") }
        #expect(store.texts.count == 3)
        cluster.heal()
        try store.synchronize()
        try store.write(1, forKey: "d")
        try store.synchronize()
        #expect(cluster.texts(prefix: "app/").count == 4)
    }

    @Test func `a key that waits already counts once in a transaction`() throws {
        let store = try open(limit: 4)
        cluster.change { $0.isDown = true }
        // The first one may be on its way already, so that nothing is added to its transaction.
        for key in ["first", "a", "b"] { try store.write(1, forKey: key) }
        for number in 0..<100 { try store.write(.integer(PropertyListInteger(number)), forKey: "a") }
        #expect((3...4).contains(store.status.pendingKeys))
    }

    @Test func `writes after the removal of all keys are sent, however many wait`() throws {
        let store = try open()
        cluster.put("1", forKey: "app/old")
        store.waitFor(1, forKey: "old")
        cluster.change { $0.isDown = true }
        // The entry of the removal is then not the one that is on its way already.
        try store.write(0, forKey: "first")
        store.waitForFlight()
        var batch = PropertyListBatch()
        batch.removeAll()
        try store.apply(batch)
        for number in 0..<100 { try store.write(1, forKey: "key\(number)") }
        cluster.heal()
        #expect(throws: Never.self) { try store.synchronize() }
        #expect(store.texts.count == 100)
        #expect(cluster.texts(prefix: "app/").count == 100)
    }

    @Test func `writes are sent in requests that the cluster takes, however long the prefix`() throws {
        cluster.state.change { $0.history.limits.bytes = 8192 }
        let store = try open(prefix: String(repeating: "long/", count: 40)) { $0.maximumRequestSize = 8192 }
        cluster.change { $0.isDown = true }
        for number in 0..<100 { try store.write(.string(String(repeating: "x", count: 40)), forKey: "key\(number)") }
        cluster.heal()
        #expect(throws: Never.self) { try store.synchronize() }
        #expect(store.texts.count == 100)
        #expect(cluster.texts(prefix: String(repeating: "long/", count: 40)).count == 100)
    }

    @Test func `a store that is released sends the writes that wait`() throws {
        var store: SimulatedStore? = try open()
        cluster.change { $0.isFrozen = true }
        try store?.write(1, forKey: "a")
        try store?.write(2, forKey: "b")
        weak let engine = store?.engine
        store = nil
        cluster.heal()
        eventually("the cluster has the writes", cluster.texts(prefix: "app/")) { $0 == ["a": "1", "b": "2"] }
        eventually("the engine is gone") { engine == nil }
    }

    @Test func `a store that is released without a cluster is gone after its timeout`() throws {
        var store: SimulatedStore? = try open { $0.timeout = .milliseconds(200) }
        cluster.change { $0.isDown = true }
        try store?.write(1, forKey: "a")
        weak let engine = store?.engine
        store = nil
        eventually("the engine is gone") { engine == nil }
    }

    @Test func `a write that failed for want of space is sent again`() throws {
        let store = try open()
        cluster.inject(.fails(.noSpace), .happensAndFails(.noSpace), into: .attempt)
        try store.write(1, forKey: "key")
        try store.synchronize()
        #expect(cluster.count(ofWritesOf: "1") == 1)
        #expect(store.value(forKey: "key") == 1)
    }
}
