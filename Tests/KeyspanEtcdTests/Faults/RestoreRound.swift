import Foundation
import KeyspanCore
import KeyspanEtcd
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Random histories before and after a backup, and the check of what stores make of the restore.
struct RestoreRound {
    private enum Writer {
        case operatorOfCluster, store, backgroundStore
    }

    private static let names = ["a", "b", "c", "d"]

    private let stage: RestorableCluster
    private let prefix: String
    private var random: SeededGenerator
    /// Whether entries are removed, so that the number of entries tells most histories apart.
    private let hasRemovals: Bool
    /// The stores that follow the cluster, of which the last one writes in the background.
    private var stores: [EtcdStore] = []
    /// The sentences about what was wrong.
    private(set) var failures: [String] = []
    /// The events of the round, for a failure.
    private(set) var story: [String] = []

    init(on stage: RestorableCluster, seed: UInt64) {
        self.stage = stage
        prefix = "round/\(seed)/"
        random = SeededGenerator(seed: seed)
        hasRemovals = Int.random(in: 0..<3, using: &random) == 0
    }

    private var cluster: TestCluster { stage.cluster }

    private var background: EtcdStore { stores[stores.count - 1] }

    /// Runs the round.
    mutating func run() throws {
        ReportedProblems.begin()
        try make(Dictionary(uniqueKeysWithValues: Self.names.map { (prefix + $0, "1") }), by: .operatorOfCluster)
        for _ in 0..<Int.random(in: 0...4, using: &random) { try make(change(), by: .operatorOfCluster) }
        stores = [try stage.open(prefix), try stage.open(prefix) { $0.writes = .background() }]
        for _ in 0..<Int.random(in: 0...2, using: &random) { try make(change(), by: .operatorOfCluster) }
        let backup = try cluster.saveBackup()
        let start = try cluster.revision()
        let lost = try makeLostHistory()
        let (end, before) = (try cluster.revision(), try cluster.texts(prefix: prefix))
        for store in stores { eventually("\(store.name) is current", store.texts) { $0 == before } }
        let observed = stores.map { ObservedTexts(of: $0) }

        try stage.restore(from: backup, hiddenFrom: stores) {
            try makeNewHistory(
                from: start,
                like: lost,
                upTo: end + [-2, -1, 0, 0, 0, 0, 1, 3][Int.random(in: 0..<8, using: &random)]
            )
        }
        let isWaiting = Bool.random(using: &random)
        if isWaiting { try background.apply(PropertyListBatch(.set(1, key: "waiting"))) }
        var truth = try cluster.texts(prefix: prefix)
        let changed = Set(before.keys).union(truth.keys).filter { before[$0] != truth[$0] }.sorted()
        let store = stores[0]
        let replacements = BackgroundCall { changed.map { store.replace($0, from: before[$0], to: "lost update") } }
        try stage.reconnect()
        for (key, error) in zip(changed, try replacements.result()) where error?.code != .conflict {
            failures.append("\(key) was replaced as if it were \(before[key] ?? "absent"): \(error as Any)")
        }
        background.waitUntilSynchronized()
        if isWaiting {
            truth["waiting"] = "1"
            // It is a change like any other for the stores that have not written it.
            for store in stores { store.waitFor(1, forKey: "waiting") }
        }
        for store in stores { check(store.textsOnceFresh(), truth, "a fresh store") }
        try cluster.make([["\(prefix)end": "1"]])
        truth["end"] = "1"
        for store in stores {
            store.waitFor(1, forKey: "end")
            check(store.texts, truth, "a store with a later change")
        }
        check(try cluster.texts(prefix: prefix), truth, "the cluster")
        // Without the right values, nothing after this comes true.
        guard failures.isEmpty else { return }
        for observer in observed { eventually("observers are current", observer.texts) { $0 == truth } }
        try count(from: truth["a"].flatMap { Int($0) } ?? 0)
    }

    private mutating func check(_ found: [String: String], _ expected: [String: String], _ reader: String) {
        if found != expected { failures.append("\(reader) has \(found) in place of \(expected)") }
    }

    /// Lets all stores change a number at once: no change may be lost.
    private mutating func count(from number: Int) throws {
        let calls = stores.map { store in
            BackgroundCall {
                for _ in 0..<3 { try Defaults(store).commit(Defaults.Key<Int>("a", default: 0)) { $0 += 1_000 } }
            }
        }
        for call in calls { try call.result() }
        let (found, expected) = (try cluster.texts(prefix: prefix)["a"], "\(number + 3_000 * stores.count)")
        if found != expected { failures.append("the number is \(found ?? "absent") in place of \(expected)") }
    }
}

// MARK: - Histories

extension RestoreRound {
    /// Makes changes that the restore will throw away, and opens a store meanwhile.
    private mutating func makeLostHistory() throws -> [ClusterChange] {
        // A marker of a writer makes a history easy to tell, so most of them have none.
        let haveStoresWritten = Int.random(in: 0..<4, using: &random) == 0
        let isLong = Int.random(in: 0..<4, using: &random) == 0
        let count = isLong ? Int.random(in: 17...30, using: &random) : Int.random(in: 1...6, using: &random)
        let opening = Int.random(in: 0...count, using: &random)
        var changes: [ClusterChange] = []
        for number in 0..<count {
            if number == opening { stores.insert(try stage.open(prefix), at: 0) }
            let writers: [Writer] =
                haveStoresWritten ? [.operatorOfCluster, .store, .backgroundStore] : [.operatorOfCluster]
            changes.append(change())
            try make(changes[number], by: writers[Int.random(in: writers.indices, using: &random)])
        }
        return changes
    }

    /// Makes changes after the restore, some of which are those that were lost.
    private mutating func makeNewHistory(from start: Int64, like lost: [ClusterChange], upTo end: Int64) throws {
        story.append("restored")
        let likeness = [0, 50, 90][Int.random(in: 0..<3, using: &random)]
        var number = 0
        while try cluster.revision() < end {
            let isEqual = number < lost.count && Int.random(in: 0..<100, using: &random) < likeness
            try make(isEqual ? lost[number] : change(), by: .operatorOfCluster)
            number += 1
        }
        let present = try cluster.revision()
        if present > start, Int.random(in: 0..<4, using: &random) == 0 {
            let revision = Int64.random(in: (start + 1)...present, using: &random)
            story.append("compacted at \(revision)")
            try cluster.compact(at: revision)
        }
    }

    /// A change of one to three entries, one of which may be outside the prefix.
    ///
    /// There are few keys and few values, so that different histories look alike.
    private mutating func change() -> ClusterChange {
        var change: ClusterChange = [:]
        for _ in 0..<[1, 1, 1, 2, 3][Int.random(in: 0..<5, using: &random)] {
            let name = Self.names[Int.random(in: 0..<4, using: &random)]
            let text = Int.random(in: (hasRemovals ? 0 : 1)..<4, using: &random)
            change.updateValue(text == 0 ? nil : "\(text)", forKey: prefix + name)
        }
        if Int.random(in: 0..<8, using: &random) == 0 { change = ["elsewhere": "1"] }
        return change
    }

    private mutating func make(_ change: ClusterChange, by writer: Writer) throws {
        story.append("\(writer) \(change.mapValues { $0 ?? "removed" })")
        guard writer != .operatorOfCluster else { return try cluster.make([change]) }
        var batch = PropertyListBatch()
        for (key, text) in change where key.hasPrefix(prefix) {
            let value = text.flatMap { Int($0) }.map { PropertyListValue.integer(PropertyListInteger($0)) }
            batch.set(value, forKey: String(key.dropFirst(prefix.count)))
        }
        let store = writer == .store ? stores[0] : background
        try store.apply(batch)
        try store.synchronize()
    }
}
