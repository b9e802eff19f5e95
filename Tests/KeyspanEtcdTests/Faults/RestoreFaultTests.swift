import Foundation
import KeyspanCore
import KeyspanEtcd
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Stores on a cluster that is restored from a backup and changed before they reach it again.
///
/// The restored cluster has the same cluster ID, so that its contents alone say that it is another history.
@Suite(.heavy, .enabled(if: TestCluster.isInstalled)) struct RestoreFaultTests {
    private static let prefix = RestoreScenario.prefix

    @Test(arguments: RestoreScenario.ofLevel)
    func `readers see a restored cluster and nothing of the lost history`(scenario: RestoreScenario) throws {
        ReportedProblems.begin()
        let stage = try RestorableCluster(size: scenario.memberCount)
        defer { stage.stop() }
        let cluster = stage.cluster
        try cluster.make(RestoreScenario.base)
        let early = try stage.open(Self.prefix)
        let backup = try cluster.saveBackup()
        try cluster.make(scenario.lost)
        let lost = (revision: try cluster.revision(), texts: try cluster.texts(prefix: Self.prefix))
        // It has listed the lost history and seen no change of it.
        let stores = [early, try stage.open(Self.prefix)]
        for store in stores { eventually("\(store.name) is current", store.texts) { $0 == lost.texts } }
        let observed = stores.map { ObservedTexts(of: $0) }

        try stage.restore(from: backup, hiddenFrom: stores) { try cluster.make(scenario.new) }
        var truth = (revision: try cluster.revision(), texts: try cluster.texts(prefix: Self.prefix))
        switch scenario.length {
        case .shorter: #expect(truth.revision < lost.revision)
        case .equal: #expect(truth.revision == lost.revision)
        case .longer: #expect(truth.revision > lost.revision)
        }
        if scenario.shape == .compaction { try cluster.compact(at: truth.revision) }
        let different = Set(lost.texts.keys).union(truth.texts.keys).filter { lost.texts[$0] != truth.texts[$0] }
        let replacements = stores.map { store in
            BackgroundCall { different.map { store.replace($0, from: lost.texts[$0], to: "lost update") } }
        }
        try stage.reconnect()

        let seen = stores.map { $0.textsOnceFresh() }
        for replacement in replacements {
            for error in try replacement.result() { #expect(error?.code == .conflict) }
        }
        for store in stores {
            for key in different {
                let error = store.replace(key, from: lost.texts[key], to: "lost update")
                #expect(error?.code == .conflict, "\(key) was \(lost.texts[key] ?? "absent")")
            }
        }
        let parts = ([lost.texts, truth.texts] + seen).map { texts in
            texts.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: " ")
        }
        // The lost history, the cluster, and what each store shows.
        print("restore: \(scenario.testDescription) | \(parts.joined(separator: " | "))")
        for texts in seen { #expect(texts == truth.texts) }
        #expect(try cluster.texts(prefix: Self.prefix) == truth.texts)

        // A change from the cluster comes after everything that the stores should have seen.
        try cluster.make([["\(Self.prefix)end": "1"]])
        truth.texts["end"] = "1"
        for store in stores {
            store.waitFor(1, forKey: "end")
            // Without the right values, nothing after this comes true.
            try #require(store.texts == truth.texts)
        }
        for observer in observed { eventually("observers are current", observer.texts) { $0 == truth.texts } }

        let number = truth.texts["k"].flatMap { Int($0) } ?? 0
        for store in stores { try Defaults(store).commit(Defaults.Key<Int>("k", default: 0)) { $0 += 1_000 } }
        #expect(try cluster.texts(prefix: Self.prefix)["k"] == "\(number + 2_000)")

        let name = stores[0].name
        if !different.isEmpty {
            eventually(
                "both stores report that the cluster was replaced",
                ReportedProblems.count(of: .clusterReplaced, storesNamed: name),
                within: .seconds(20)
            ) { $0 == stores.count }
        }
    }

    @Test(arguments: RestoreScenario.Length.allCases)
    func `writes in the background that a restore throws away do not stay visible`(
        length: RestoreScenario.Length
    ) throws {
        let stage = try RestorableCluster()
        defer { stage.stop() }
        let cluster = stage.cluster
        let store = try stage.open(Self.prefix) { $0.writes = .background() }
        try store.apply(PropertyListBatch(.set(1, key: "k")))
        try store.synchronize()
        let backup = try cluster.saveBackup()
        for number in 2...4 {
            try store.apply(PropertyListBatch(.set(.integer(PropertyListInteger(number)), key: "k")))
        }
        try store.apply(PropertyListBatch(.set(4, key: "lost")))
        try store.synchronize()
        let revision = try cluster.revision()

        try stage.restore(from: backup, hiddenFrom: [store]) {
            let count = revision - (try cluster.revision())
            let changes = length == .shorter ? 1 : length == .equal ? count : count + 2
            for number in 0..<changes { try cluster.make([["\(Self.prefix)k": "\(50 + number)"]]) }
        }
        try store.apply(PropertyListBatch(.set(5, key: "waiting")))
        try stage.reconnect()
        store.waitUntilSynchronized()
        var truth = try cluster.texts(prefix: Self.prefix)
        #expect(truth["waiting"] == "5" && truth["lost"] == nil)
        #expect(store.textsOnceFresh() == truth)
        try cluster.make([["\(Self.prefix)end": "1"]])
        truth["end"] = "1"
        store.waitFor(1, forKey: "end")
        #expect(store.texts == truth)
        #expect(try cluster.entries(prefix: Self.prefix)["waiting"]?.version == 1)
    }
}

/// The texts that an observer knows from the changes it was notified of.
final class ObservedTexts: Sendable {
    private let initial: [String: String]
    private let changes = Recorder<PropertyListChange.Entry>()
    private let observation: StoreObservation

    /// Begins with the texts that a store has, which nobody writes at this time.
    init(of store: any PropertyListStore) {
        initial = store.texts
        observation = store.observe(.all, initial: false) { [changes] change in change.entries.forEach(changes.record) }
    }

    deinit {
        observation.cancel()
    }

    var texts: [String: String] { changes.values.reduce(into: initial) { $0[$1.key] = $1.new?.text } }
}
