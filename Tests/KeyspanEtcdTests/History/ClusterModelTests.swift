import Foundation
import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanEtcd

/// Stores on a simulated cluster that fails by chance, against the history of the cluster.
@Suite(.heavy, .seeded) struct ClusterModelTests {
    @Test func `every write happens as the store says, and all stores end as the cluster`() throws {
        for seed in SeededGenerator.seeds(TestLevel.current.pick(8, thorough: 200, exhaustive: 5_000)) {
            let (history, failures) = try ClusterModel(seed: seed).run()
            if failures.isEmpty { continue }
            Issue.record("seed \(seed): \(failures.joined(separator: "\n"))\n\(history)")
            return
        }
    }
}

/// Several stores on one cluster, whose threads write and observe while members and connections fail.
private struct ClusterModel {
    private static let forbidden = "forbidden"

    private let recorder = HistoryRecorder()
    private let cluster: SimulatedCluster
    private let stores: [(store: SimulatedStore, recorded: HistoryStore)]
    private let seeds: [UInt64]

    init(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let cluster = SimulatedCluster(members: Int.random(in: 1...3, using: &random))
        cluster.state.change { $0.history.limits.forbidden = ["app/\(Self.forbidden)"] }
        // The last one does not write, so that it shows nothing but what the watch delivers.
        let count = Int.random(in: 3...4, using: &random)
        stores = try (0..<count).map { number in
            let isBackground = Bool.random(using: &random) && number < count - 1
            // A write is given up before the first call has ended, or after some attempts.
            let timeout = Int.random(in: 50...300, using: &random)
            let callTimeout = Int.random(in: 30...120, using: &random)
            let store = try SimulatedStore(of: cluster, name: "store\(number)", patience: .seconds(60)) {
                if isBackground { $0.writes = .background() }
                ($0.timeout, $0.callTimeout) = (.milliseconds(timeout), .milliseconds(callTimeout))
            }
            return (store, HistoryStore(name: store.name, store: store, isBackground: isBackground))
        }
        cluster.setChaos(SimulatedChaos(seed: random.next(), rate: Int.random(in: 0...40, using: &random)))
        self.cluster = cluster
        seeds = (0..<20).map { _ in random.next() }
    }

    /// Runs the model.
    ///
    /// - Returns: The history, and its failures.
    func run() throws -> (History, failures: [String]) {
        let observations = stores.map { recorder.observe($0.recorded) }
        try work()
        try heal()
        let truth = cluster.texts(prefix: "app/")
        for (store, recorded) in stores {
            store.waitFor(texts: truth)
            eventually("the observer of \(store.name) sees the end", recorder.history.observers[recorded.name]?.table) {
                $0 == truth
            }
        }
        // The end of a store changes no value.
        for (store, _) in stores { try? store.close() }
        #expect(cluster.texts(prefix: "app/") == truth)
        observations.forEach { $0.cancel() }
        var history = recorder.history
        let space = KeySpace(prefix: "app/")
        history.truth = cluster.history.revisions.map { History.Revision($0.number, $0.events, in: space) }
        for name in history.observers.keys {
            // How often a store lists anew is a matter of chance.
            history.observers[name]?.jumps = .max
        }
        return (history, recorder.failures + HistoryCheck(history).failures)
    }

    private func work() throws {
        let isOver = Locked(false)
        let operation = BackgroundCall { [cluster, recorder, stores, seed = seeds[0]] in
            var random = SeededGenerator(seed: seed)
            var number = 0
            // A write in the background whose outcome is lost with its marker would be a refusal that its writer does not expect.
            let losesMarkers = !stores.contains { $0.recorded.isBackground }
            while !isOver.withLock(\.self) {
                number += 1
                cluster.suffer(&random, number, recorder, losesMarkers: losesMarkers)
                // Paces the faults.
                usleep(10_000)
            }
        }
        let readers = stores.map { store in
            BackgroundCall { [recorder] in
                while !isOver.withLock(\.self) {
                    recorder.read(store.recorded)
                    // Paces the reads.
                    usleep(5_000)
                }
            }
        }
        var threads: [BackgroundCall<Void>] = []
        for (index, store) in stores.dropLast().enumerated() {
            for thread in 0..<2 {
                let writer = HistoryWriter(
                    name: "\(index).\(thread)",
                    store: store.recorded,
                    recorder: recorder,
                    seed: seeds[1 + 2 * index + thread],
                    forbidden: Self.forbidden,
                    count: { [cluster] in cluster.count(ofWritesOf: $0) }
                )
                threads.append(BackgroundCall { writer.run { $0 < 16 } })
            }
        }
        defer { isOver.withLock { $0 = true } }
        for thread in threads { try thread.result() }
        isOver.withLock { $0 = true }
        for thread in readers + [operation] { try thread.result() }
    }

    /// Ends all faults, and waits until what happens late has happened and all writes are sent.
    private func heal() throws {
        cluster.heal()
        cluster.deliverWhatIsUnderWay()
        for (store, recorded) in stores {
            store.waitUntilSynchronized()
            // A transaction that was given up is decided once nothing waits.
            eventually("\(recorded.name) has nothing left to send") {
                store.engine.state.read { $0.queue.entries.isEmpty && $0.flight == nil }
            }
        }
        eventually("all that happens late has happened", cluster.state.read(\.late)) { $0 == 0 }
        recorder.finishCalls()
    }
}

extension SimulatedCluster {
    /// Lets one thing happen to the cluster by chance.
    ///
    /// - Parameter losesMarkers: Whether the entries of the stores may be removed too.
    fileprivate func suffer(
        _ random: inout SeededGenerator,
        _ number: Int,
        _ recorder: HistoryRecorder,
        losesMarkers: Bool
    ) {
        let member = Int.random(in: 0..<endpoints.count, using: &random)
        let isEnd = Bool.random(using: &random)
        switch Int.random(in: 0..<30, using: &random) {
        case 0: change(member: member) { $0.isDown = !isEnd }
        case 1: change(member: member) { $0.isFrozen = !isEnd }
        case 2: change(member: member) { $0.hasNoLeader = !isEnd }
        case 3: setLagging(!isEnd, member: member)
        case 4: change(member: member) { $0.holdsWatches = !isEnd }
        case 5: compact()
        case 6: breakConnections()
        case 7: announceProgress()
        case 8:
            state.change { $0.breaksBetweenEvents = 1 }
        case 9, 10:
            change { ($0.isDown, $0.isFrozen, $0.hasNoLeader, $0.holdsWatches) = (false, false, false, false) }
            setLagging(false)
        case 11, 12:
            let key = "shared\(Int.random(in: 0..<3, using: &random))"
            let text = "\"etcdctl \(number)\""
            let operations: [Etcdserverpb_RequestOp] =
                (isEnd ? [.deletion(from: Data("app/\(key)".utf8), to: Data())] : [])
                + [.put(Data(text.utf8), forKey: Data("app/\(isEnd ? "other" : key)".utf8), lease: 0)]
            let changes = isEnd ? [key: nil, "other": text] : [key: text]
            recorder.call("etcdctl \(number)", changes) { run(operations) }
        case 13 where losesMarkers:
            let markers = history.entries.keys.filter { $0.starts(with: Data("app/.keyspan/".utf8)) }
            for marker in markers { remove(String(decoding: marker, as: UTF8.self)) }
        default: break
        }
    }
}
