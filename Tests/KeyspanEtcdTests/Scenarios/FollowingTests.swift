import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanEtcd

/// How a store follows a cluster that compacts, loses, and goes back.
@Suite(.heavy, .serialized) struct FollowingTests {
    private let cluster = SimulatedCluster(members: 3)

    @Test func `addresses at which nobody answers are passed over`() throws {
        cluster.state.change { $0.deadHosts = ["10.0.0.1", "10.0.0.2", "10.0.0.3"] }
        let store = try SimulatedStore(of: cluster)
        for round in 1...5 {
            try store.write(.integer(PropertyListInteger(round)), forKey: "key")
            let endpoint = try #require(store.status.endpoint)
            #expect(cluster.endpoints.contains { endpoint == "\($0) (\($0.host))" })
            cluster.change { $0.isDown = true }
            eventually("the store has lost its member", store.status.endpoint) { $0 == nil }
            cluster.heal()
        }
        eventually("the store watches a member", store.status.endpoint) { $0 != nil }
    }

    @Test func `a cluster that does not answer is reported by open stores, and thrown by those that are being opened`()
        throws
    {
        ReportedProblems.begin()
        let store = try SimulatedStore(of: cluster, name: "open store")
        cluster.change { $0.isDown = true }
        // Longer than a store waits before it reports.
        expectError(.unreachable) { try SimulatedStore(of: cluster, name: "new store") { $0.timeout = .seconds(7) } }
        eventually("the open store reports it", ReportedProblems.of(store)) { $0.count == 1 }
        #expect(ReportedProblems.of(storeNamed: "new store") == [])
    }

    @Test func `entries that cannot be read are reported before the store is open`() throws {
        for number in 0..<300 { cluster.put("{", forKey: "app/bad\(number)") }
        let problems = try reportedProblems { try SimulatedStore(of: cluster) }
        #expect(problems.count == 300)
        for number in 0..<300 { #expect(problems.contains { $0.contains("\"bad\(number)\"") }) }
    }

    @Test func `a change of the cluster is one change of the store`() throws {
        let store = try SimulatedStore(of: cluster)
        let changes = ChangedKeys(of: store)
        cluster.run(["a", "b", "c"].map { .put(Data("1".utf8), forKey: Data("app/\($0)".utf8), lease: 0) })
        cluster.put("2", forKey: "app/a")
        cluster.put("2", forKey: "other/a")
        cluster.remove("app/b")
        changes.waitFor([["a", "b", "c"], ["a"], ["b"]])
    }

    /// The row of clusters in the table of the article on following changes.
    @Test(arguments: ["\"one\"", "70000"])
    func `a value that its key cannot use never takes effect`(_ bad: String) throws {
        let port = Defaults.Key<Int>("port", default: 80).validated(by: .range(1...65_535))
        cluster.put(bad, forKey: "app/port")
        let store = try SimulatedStore(of: cluster)
        let problems = reportedProblems {
            #expect(Defaults(store)[port] == 80)
            for (text, expected) in [("1", 1), (bad, 80), ("2", 2)] {
                cluster.put(text, forKey: "app/port")
                store.waitFor(entriesOf: cluster)
                #expect(Defaults(store)[port] == expected)
            }
        }
        // The same value is reported once.
        #expect(problems.count == 1 && problems[0].contains("key \"port\""), "\(problems)")
        #expect(throws: Defaults.WriteError.self) { try Defaults(store).set(70_000, for: port) }
    }

    @Test func `a listing of several pages is of one revision`() throws {
        for number in 0..<25 {
            cluster.run(
                (0..<100).map { .put(Data("1".utf8), forKey: Data("app/\(number).\($0)".utf8), lease: 0) }
            )
        }
        let store = try SimulatedStore(of: cluster)
        #expect(store.snapshot().count == 2500)
        cluster.put("2", forKey: "app/0.0")
        store.waitFor(entriesOf: cluster)
    }

    @Test func `the pages of a listing grow again after silence, and a refused connection leaves them as they are`()
        throws
    {
        cluster.run((0..<100).map { .put(Data("1".utf8), forKey: Data("app/\($0)".utf8), lease: 0) })
        for number in 1..<25 {
            cluster.run(
                (0..<100).map { .put(Data("1".utf8), forKey: Data("app/\(number * 100 + $0)".utf8), lease: 0) }
            )
        }
        cluster.inject(Array(repeating: .losesRequest, count: 10), into: .list)
        let store = try SimulatedStore(of: cluster)
        #expect(store.snapshot().count == 2500)
        // Ten in vain, and then pages of 10, 20, 40, 80, 160, 320, 640, and the rest.
        #expect(cluster.count(of: .list) <= 10 + 8)
        cluster.change { $0.isDown = true }
        let opening = BackgroundCall { [cluster] in try SimulatedStore(of: cluster) }
        let begin = cluster.count(of: .list)
        eventually("connections are refused", cluster.state.read(\.refusedConnections)) { $0 >= 12 }
        cluster.change { $0.isDown = false }
        let other = try opening.result()
        #expect(other.snapshot().count == 2500)
        eventually("both follow") { store.status.staleSince == nil && other.status.staleSince == nil }
        #expect(cluster.count(of: .list) - begin == 2)
    }

    @Test func `values are stale since they were last known to be fresh, and until what was missed has arrived`() throws
    {
        let store = try SimulatedStore(of: cluster)
        cluster.put("0", forKey: "app/key")
        store.waitFor(texts: ["key": "0"])
        eventually("the store follows", store.status.staleSince) { $0 == nil }
        let end = Date()
        cluster.change { $0.isFrozen = true }
        eventually("the store has lost its member", store.status.endpoint) { $0 == nil }
        #expect(try #require(store.status.staleSince) <= end)
        for number in 1...2500 { cluster.put("\(number)", forKey: "app/key") }
        let freshValues = Recorder<PropertyListValue?>()
        let observation = store.observe(.all, initial: false) { _ in
            if store.status.staleSince == nil { freshValues(store.value(forKey: "key")) }
        }
        defer { observation.cancel() }
        cluster.heal()
        store.waitFor(2500, forKey: "key")
        eventually("the store follows", store.status.staleSince) { $0 == nil }
        #expect(freshValues.values.allSatisfy { $0 == 2500 })
    }

    @Test func `a store lists anew after a compaction while it was disconnected`() throws {
        let store = try SimulatedStore(of: cluster)
        cluster.put("1", forKey: "app/kept")
        cluster.put("1", forKey: "app/removed")
        store.waitFor(texts: ["kept": "1", "removed": "1"])
        let changes = ChangedKeys(of: store)
        cluster.change { $0.isDown = true }
        eventually("the store has lost its member", store.status.endpoint) { $0 == nil }
        cluster.remove("app/removed")
        cluster.put("2", forKey: "app/kept")
        cluster.put("3", forKey: "app/kept")
        cluster.put("3", forKey: "app/added")
        cluster.compact()
        cluster.heal()
        store.waitFor(texts: ["kept": "3", "added": "3"])
        changes.waitFor([["added", "kept", "removed"]])
    }

    @Test func `a watch that breaks between two events of a revision loses nothing`() throws {
        let store = try SimulatedStore(of: cluster)
        for number in 0..<5 {
            cluster.state.change { $0.breaksBetweenEvents = 2 }
            cluster.run(
                ["a", "b"].map { .put(Data("\(number)".utf8), forKey: Data("app/\($0)".utf8), lease: 0) }
            )
            store.waitFor(texts: ["a": "\(number)", "b": "\(number)"])
        }
    }

    @Test func `a removal that a watch has lost is found by counting`() throws {
        let store = try SimulatedStore(of: cluster)
        cluster.put("1", forKey: "app/lost")
        store.waitFor(texts: ["lost": "1"])
        cluster.state.change { $0.hiddenRemovals = 1 }
        cluster.remove("app/lost")
        eventually("the removal is lost", cluster.state.read(\.hiddenRemovals)) { $0 == 0 }
        cluster.announceProgress()
        store.waitFor(texts: [:])
    }

    @Test func `a removal that a watch has lost is found by the next write of the key`() throws {
        let store = try SimulatedStore(of: cluster)
        cluster.run(["a", "b"].map { .put(Data("1".utf8), forKey: Data("app/\($0)".utf8), lease: 0) })
        store.waitFor(texts: ["a": "1", "b": "1"])
        cluster.state.change { $0.hiddenRemovals = 2 }
        cluster.run(["a", "b"].map { .deletion(from: Data("app/\($0)".utf8), to: Data()) })
        cluster.put("2", forKey: "app/a")
        store.waitFor(texts: ["a": "2"])
    }

    @Test func `a cluster that was restored from a backup counts`() throws {
        let store = try SimulatedStore(of: cluster)
        let backup = cluster.put("1", forKey: "app/key")
        try store.write(2, forKey: "key")
        try store.write(2, forKey: "other")
        cluster.restore(to: backup, cluster: 2)
        store.waitFor(texts: ["key": "1"])
        try store.write(3, forKey: "other")
        #expect(store.texts == ["key": "1", "other": "3"])
        #expect(cluster.texts(prefix: "app/") == store.texts)
    }

    @Test func `a restored cluster of the same number counts, also once it has as many revisions`() throws {
        let store = try SimulatedStore(of: cluster)
        let backup = cluster.put("1", forKey: "app/key")
        cluster.put("2", forKey: "app/key")
        store.waitFor(texts: ["key": "2"])
        cluster.change { $0.isDown = true }
        cluster.restore(to: backup, cluster: 1)
        cluster.put("1", forKey: "elsewhere")
        cluster.put("1", forKey: "elsewhere")
        cluster.heal()
        store.waitFor(texts: ["key": "1"])
    }

    @Test func `a write that a restore has thrown away does not stay visible`() throws {
        let store = try SimulatedStore(of: cluster) { $0.callTimeout = .milliseconds(300) }
        let backup = cluster.put("1", forKey: "app/key")
        store.waitFor(1, forKey: "key")
        cluster.change { $0.holdsWatches = true }
        let write = BackgroundCall { try store.write(2, forKey: "key") }
        eventually("the cluster has the writes", cluster.texts(prefix: "app/")) { $0 == ["key": "2"] }
        eventually("the store knows that the write has happened") {
            store.engine.state.read { $0.flight?.revision != nil }
        }
        cluster.restore(to: backup, cluster: 2)
        cluster.change { $0.holdsWatches = false }
        try? write.result()
        store.waitFor(texts: ["key": "1"])
    }

    @Test func `a write that the watch does not deliver in time is shown later, in its order`() throws {
        let store = try SimulatedStore(of: cluster) { $0.timeout = .seconds(2) }
        cluster.put("1", forKey: "app/other")
        store.waitFor(texts: ["other": "1"])
        cluster.change { $0.holdsWatches = true }
        cluster.put("2", forKey: "app/other")
        expectError(.notShown) { try store.write(1, forKey: "key") }
        #expect(store.texts == ["other": "1"])
        #expect(cluster.texts(prefix: "app/")["key"] == "1")
        cluster.change { $0.holdsWatches = false }
        store.waitFor(texts: ["other": "2", "key": "1"])
    }

    @Test func `a store leaves members that are down, frozen, lagging or without a leader`() throws {
        let store = try SimulatedStore(of: cluster)
        for number in 0..<8 {
            let member = number % 3
            switch number % 4 {
            case 0: cluster.change(member: member) { $0.isDown = true }
            case 1: cluster.change(member: member) { $0.isFrozen = true }
            case 2: cluster.change(member: member) { $0.hasNoLeader = true }
            default: cluster.setLagging(true, member: member)
            }
            try store.write(.string("\(number)"), forKey: "key")
            #expect(cluster.count(ofWritesOf: "\"\(number)\"") == 1)
            cluster.heal()
        }
    }

    /// As one does whose disk hangs: it keeps its connections and watches, and has nothing to send.
    @Test func `a store that only watches leaves a member that no longer answers reads`() throws {
        let store = try SimulatedStore(of: cluster)
        eventually("the store watches a member", store.status.endpoint) { $0 != nil }
        let first = cluster.state.read(\.lastConnection)
        cluster.inject(.losesRequest, into: .count)
        eventually("the store watches another member") {
            cluster.state.read(\.lastConnection) > first && store.status.endpoint != nil
        }
    }

    @Test func `observers are notified of others' changes that are listed together with a quiet write`() throws {
        let store = try SimulatedStore(of: cluster)
        let notified = Recorder<String>()
        let observation = store.observe(.all, initial: false) { change in
            if !change.isQuiet { change.entries.forEach { notified($0.key) } }
        }
        defer { observation.cancel() }
        cluster.change { $0.holdsWatches = true }
        var batch = PropertyListBatch(.set(1, key: "quiet"))
        batch.isQuiet = true
        let writer = BackgroundCall { [batch] in try store.apply(batch) }
        eventually("the cluster has the write", cluster.texts(prefix: "app/")) { $0["quiet"] != nil }
        cluster.put("2", forKey: "app/other")
        cluster.compact()
        cluster.change { $0.holdsWatches = false }
        cluster.breakConnections()
        store.waitFor(texts: ["quiet": "1", "other": "2"])
        eventually("the observer is notified", notified.values) { $0.contains("other") }
        try writer.result()
    }

    /// The task that sends writes waits for a connection then, and still has the transaction.
    @Test func `observers are notified of what is listed after a write whose outcome the watch has delivered`() throws {
        let store = try SimulatedStore(of: cluster)
        let changes = ChangedKeys(of: store)
        cluster.change { $0.holdsWatches = true }
        let faults = [.happensAndFails(.busy)] + Array(repeating: SimulatedFault.fails(.busy), count: 100)
        cluster.inject(faults, into: .attempt)
        let write = BackgroundCall { try store.write(1, forKey: "key") }
        // The pauses between attempts become longer.
        eventually("attempts are made", cluster.count(of: .attempt)) { $0 >= 8 }
        cluster.change { $0.holdsWatches = false }
        try write.result()
        cluster.change { $0.isDown = true }
        eventually("the store has lost its member", store.status.endpoint) { $0 == nil }
        cluster.put("2", forKey: "app/other")
        cluster.compact()
        cluster.heal()
        store.waitFor(texts: ["key": "1", "other": "2"])
        changes.waitFor([["key"], ["other"]])
    }

    @Test func `an entry that is no value is left alone`() throws {
        cluster.put("{", forKey: "app/bad")
        let store = try SimulatedStore(of: cluster)
        #expect(store.texts.isEmpty)
        expectError(.unsupportedValue) { try store.write(1, forKey: "bad") }
        cluster.put("7", forKey: "app/bad")
        store.waitFor(texts: ["bad": "7"])
        cluster.put("[", forKey: "app/bad")
        store.waitFor(texts: [:])
        try store.write(nil, forKey: "bad")
        #expect(cluster.texts(prefix: "app/") == ["bad": "["])
    }

    @Test func `removing all keys leaves alone what is not of the store`() throws {
        let foreign = ["app/", "app/.keyspan/writers/x", "app/a\u{0}b", "other/key", "app"]
        for key in foreign { cluster.put("1", forKey: key) }
        cluster.put("{", forKey: "app/unreadable")
        let store = try SimulatedStore(of: cluster)
        for key in ["", "\u{1}", ".", ".keyspan", ".keyspan0", "a", "unreadable.", "z"] where !key.isEmpty {
            try store.write(1, forKey: key)
        }
        var batch = PropertyListBatch()
        batch.removeAll()
        batch.set(2, forKey: "a")
        batch.set(2, forKey: "new")
        try store.apply(batch)
        #expect(store.texts == ["a": "2", "new": "2"])
        #expect(cluster.texts(prefix: "app/") == ["a": "2", "new": "2", "unreadable": "{"])
        for key in foreign { #expect(cluster.history.entries[Data(key.utf8)] != nil, "\(key)") }
    }

    @Test(arguments: [EtcdStoreOptions.Writes.committed, .background()])
    func `the removal of an entry that was corrected meanwhile removes it, or is refused`(
        writes: EtcdStoreOptions.Writes
    ) throws {
        cluster.put("{", forKey: "app/key")
        let store = try SimulatedStore(of: cluster) { ($0.writes, $0.timeout) = (writes, .seconds(2)) }
        cluster.change { $0.holdsWatches = true }
        cluster.put("5", forKey: "app/key")
        do {
            try store.write(nil, forKey: "key")
            try store.synchronize()
            #expect(cluster.texts(prefix: "app/").isEmpty)
        } catch {}
        cluster.change { $0.holdsWatches = false }
        store.waitFor(entriesOf: cluster)
    }

    @Test func `a member that has always compacted its history is not asked without pause`() throws {
        cluster.state.change { $0.faults[.list] = Array(repeating: .fails(.compacted), count: 100_000) }
        #expect(throws: StoreError.self) { try SimulatedStore(of: cluster) { $0.timeout = .milliseconds(200) } }
        #expect(cluster.count(of: .list) < 50)
    }
}
