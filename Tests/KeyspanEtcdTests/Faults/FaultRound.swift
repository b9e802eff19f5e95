import Foundation
import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanEtcd

/// Stores that are written, read and observed while faults happen to their cluster, and the check of what came of it.
final class FaultRound: Sendable {
    let recorder = HistoryRecorder()
    private let seed: UInt64
    private let faulty: FaultyCluster
    private let space: KeySpace
    private let isOver = Locked(false)

    /// Makes a round on a cluster.
    init(on faulty: FaultyCluster, seed: UInt64) {
        (self.faulty, self.seed) = (faulty, seed)
        space = KeySpace(prefix: "round/\(seed)/")
    }

    /// Runs the round.
    ///
    /// - Returns: The faults, the history, and its failures.
    func run(lasting duration: Duration) async throws -> (faults: [ClusterFault], History, failures: [String]) {
        var random = SeededGenerator(seed: seed)
        let reader = try TruthReader(of: faulty.cluster, in: space)
        let stores = try (0..<3).map { try open($0) }
        let recorded = stores.enumerated().map { index, store in
            HistoryStore(name: "s\(index)", store: store, isBackground: index == 2)
        }
        let observations = recorded.map { recorder.observe($0) }
        let threads = recorded.enumerated().flatMap { index, store in
            (0..<2).map { write(to: store, as: "c\(index)\($0)", seed: random.next()) } + [read(store)]
        }
        defer { isOver.withLock { $0 = true } }

        var faults: [ClusterFault] = []
        let end = ContinuousClock.now + duration
        let possible = ClusterFault.allCases.filter { !$0.needsNetworks || faulty.networks != nil }
        while ContinuousClock.now < end {
            // Paces the faults.
            usleep(UInt32.random(in: 20_000...150_000, using: &random))
            let fault = possible[Int.random(in: 0..<possible.count, using: &random)]
            let time = Duration.milliseconds(Int.random(in: 50...700, using: &random))
            var revision: Int64 = 0
            if fault == .compact {
                // The truth is read from a member that has it, before the cluster forgets it.
                try faulty.cluster.waitUntilHealthy()
                revision = try faulty.cluster.revision()
                try await reader.read(upTo: revision)
            }
            try faulty.inject(fault, for: time, compactingAt: revision, &random)
            faults.append(fault)
        }
        isOver.withLock { $0 = true }
        for thread in threads { try thread.result() }
        try finish(stores)
        try await reader.read(upTo: try faulty.cluster.revision())
        let history = settle(recorded, observations, reader.truth, jumps: faults.count { $0 == .compact })
        return (faults, history, recorder.failures + HistoryCheck(history).failures)
    }

    /// Waits until the stores have sent all writes.
    private func finish(_ stores: [EtcdStore]) throws {
        try faulty.cluster.waitUntilHealthy()
        for store in stores {
            store.waitUntilSynchronized()
            // A transaction that was given up may be on its way until the store has seen its end.
            eventually("\(store.name) has nothing left to send", within: .seconds(120)) {
                store.engine.state.read { $0.queue.entries.isEmpty && $0.flight == nil }
            }
        }
        recorder.finishCalls()
    }

    /// Waits until the stores show what the cluster has.
    ///
    /// - Returns: The whole history.
    private func settle(
        _ recorded: [HistoryStore],
        _ observations: [StoreObservation],
        _ truth: [History.Revision],
        jumps: Int
    ) -> History {
        let final = truth.reduce(into: [String: String]()) { table, revision in
            for (key, text) in revision.events { table[key] = text }
        }
        for store in recorded {
            eventually("\(store.name) has the values of the cluster", store.store.texts) { $0 == final }
            // Changes are delivered by threads of their own.
            eventually("the observer of \(store.name) sees the end", recorder.history.observers[store.name]?.table) {
                $0 == final
            }
        }
        observations.forEach { $0.cancel() }
        var history = recorder.history
        history.truth = truth
        for store in recorded {
            history.observers[store.name]?.jumps = jumps
            history.observers[store.name]?.final = store.store.texts
        }
        return history
    }
}

// MARK: - Stores in use

extension FaultRound {
    /// Opens a store: the last one writes in the background.
    private func open(_ index: Int) throws -> EtcdStore {
        var options = EtcdStoreOptions()
        // Impatient stores give transactions up whose attempts are still on their way.
        let isImpatient = seed % 2 == 0
        options.callTimeout = .milliseconds(isImpatient ? 200 : 800)
        options.timeout = .milliseconds(isImpatient ? 600 : 4000)
        if index == 2 { options.writes = .background() }
        var opened: EtcdStore?
        // The round before may have ended with an election.
        try eventually("a store opens", within: .seconds(120)) {
            do throws(StoreError) {
                opened = try EtcdStore(endpoints: faulty.proxies.map(\.endpoint), prefix: space.text, options: options)
            } catch {
                guard error.code == .unreachable else { throw error }
            }
            return opened != nil
        }
        return try #require(opened)
    }

    private func read(_ store: HistoryStore) -> BackgroundCall<Void> {
        BackgroundCall { [self] in
            while !isOver.withLock(\.self) {
                recorder.read(store)
                // Paces the reads.
                usleep(20_000)
            }
        }
    }

    private func write(to store: HistoryStore, as client: String, seed: UInt64) -> BackgroundCall<Void> {
        let writer = HistoryWriter(name: client, store: store, recorder: recorder, seed: seed)
        return BackgroundCall { [self] in writer.run { _ in !isOver.withLock(\.self) } }
    }
}

extension KeySpace {
    fileprivate var text: String { String(decoding: prefix, as: UTF8.self) }
}
