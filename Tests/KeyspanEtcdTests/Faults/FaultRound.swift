import Foundation
import KeyspanCore
import KeyspanTesting

@testable import KeyspanEtcd

/// Stores that are written, read and observed while faults happen to their cluster, and the check of what came of it.
final class FaultRound: Sendable {
    /// What a round did.
    struct Outcome: Sendable {
        let faults: [ClusterFault]
        let acknowledged: Int
        let refused: Int
        let unknown: Int
        let reads: Int
        /// The failed checks with the whole history; `nil` if all hold.
        let report: String?
        let description: String
    }

    /// The longest time after the faults within which all stores have the final state.
    private static let patience = Duration.seconds(60)

    private let seed: UInt64
    private let faulty: FaultyCluster
    private let history: History
    private let prefix: String
    private let isOver = Locked(false)

    /// Makes a round on a cluster.
    init(on faulty: FaultyCluster, seed: UInt64) {
        (self.faulty, self.seed) = (faulty, seed)
        history = History(seed: seed)
        prefix = "round/\(seed)/"
    }

    /// Runs the round, and blocks the thread until it is over.
    func run(lasting duration: Duration) async throws -> Outcome {
        var random = SeededGenerator(seed: seed)
        let reader = try TruthReader(of: faulty.cluster, member: faulty.cluster.members[0], prefix: prefix)
        let stores = try (0..<3).map { try open($0) }
        let observations = stores.enumerated().map { observe($1, named: "s\($0)") }
        let writers = stores.enumerated().flatMap { index, store in
            (0..<2).map { write(to: store, named: "s\(index)", as: "c\(index)\($0)") }
        }
        let readers = stores.enumerated().map { read($1, named: "s\($0)") }

        var faults: [ClusterFault] = []
        let end = ContinuousClock.now + duration
        let possible = ClusterFault.allCases.filter { !$0.needsNetworks || faulty.networks != nil }
        while ContinuousClock.now < end {
            usleep(UInt32.random(in: 20_000...150_000, using: &random))
            let fault = possible[Int.random(in: 0..<possible.count, using: &random)]
            let time = Duration.milliseconds(Int.random(in: 50...700, using: &random))
            if fault == .compact {
                // The truth is read from a member that has it, before the cluster forgets it.
                guard (try? faulty.cluster.waitUntilHealthy(timeout: .seconds(5))) != nil else { continue }
                let revision = try faulty.cluster.revision()
                try await reader.read(upTo: revision)
                try faulty.inject(fault, for: time) { revision }
            } else {
                try faulty.inject(fault, for: time) { 0 }
            }
            faults.append(fault)
        }
        isOver.withLock { $0 = true }
        (writers + readers).forEach { $0.join() }
        try faulty.cluster.waitUntilHealthy(timeout: Self.patience)
        for store in stores { _ = becomes(within: Self.patience) { (try? store.synchronize()) != nil } }
        for (client, ids) in openCalls.withLock(\.self) where !client.isEmpty {
            for id in ids { history.ended(id, .acknowledged) }
        }
        // A transaction that was given up may be on its way until the store has seen its end.
        _ = becomes(within: Self.patience) {
            stores.allSatisfy { $0.engine.state.read { $0.queue.entries.isEmpty && $0.flight == nil } }
        }
        try await reader.read(upTo: try faulty.cluster.revision())
        let final = reader.truth.final
        for (index, store) in stores.enumerated() {
            _ = becomes(within: Self.patience) { store.snapshot().texts == final }
            // Changes are delivered by threads of their own.
            _ = becomes(within: .seconds(2)) { self.lastTables.withLock { $0["s\(index)"] } == final }
            history.finished("o-s\(index)", final: store.snapshot().texts)
        }
        observations.forEach { $0.cancel() }

        var recorded = history.recorded
        recorded.truth = reader.truth
        let compactions = faults.count { $0 == .compact }
        for index in recorded.observers.indices { recorded.observers[index].allowedJumps = compactions }
        let outcomes = recorded.calls.map(\.outcome)
        return Outcome(
            faults: faults,
            acknowledged: outcomes.count { $0 == .acknowledged },
            refused: outcomes.count { if case .refused = $0 { true } else { false } },
            unknown: outcomes.count { $0 == .unknown },
            reads: recorded.readers.reduce(0) { $0 + $1.reads.count },
            report: HistoryCheck(recorded).report(),
            description: history.description
        )
    }

    /// The calls of stores that write in the background and that were not synchronized yet.
    private let openCalls = Locked<[String: [String]]>([:])
    private let lastTables = Locked<[String: [String: String]]>([:])
}

// MARK: - Stores in use

extension FaultRound {
    /// Opens a store: the last one writes in the background.
    private func open(_ index: Int) throws -> EtcdStore {
        let deadline = ContinuousClock.now + Self.patience
        var options = EtcdStoreOptions()
        // Impatient stores give transactions up whose attempts are still on their way.
        let isImpatient = seed % 2 == 0
        options.callTimeout = .milliseconds(isImpatient ? 200 : 800)
        options.timeout = .milliseconds(isImpatient ? 600 : 4000)
        if index == 2 { options.writes = .background() }
        history.opened("s\(index)", index == 2 ? .background : .direct)
        while true {
            do throws(StoreError) {
                return try EtcdStore(endpoints: faulty.proxies.map(\.endpoint), prefix: prefix, options: options)
            } catch {
                // The round before may have ended with an election.
                guard error.code == .unreachable, ContinuousClock.now < deadline else { throw error }
            }
        }
    }

    private func observe(_ store: EtcdStore, named name: String) -> StoreObservation {
        store.observe(.all, initial: true) { [self] change in
            var values: [String: ObservedValues] = [:]
            for entry in change.entries {
                values[entry.key] = ObservedValues(old: entry.old?.text, new: entry.new?.text)
            }
            if change.isInitial {
                history.observing("o-\(name)", store: name, start: values.compactMapValues(\.new))
            } else {
                history.changed("o-\(name)", values)
            }
            lastTables.withLock { tables in
                for (key, value) in values { tables[name, default: [:]][key] = value.new }
            }
        }
    }

    private func read(_ store: EtcdStore, named name: String) -> TestThread {
        TestThread { [self] in
            while !isOver.withLock(\.self) {
                let began = History.now()
                history.read(.snapshot(store.snapshot().texts), by: "r-\(name)", store: name, began: began)
                usleep(20_000)
            }
        }
    }

    private func write(to store: EtcdStore, named name: String, as client: String) -> TestThread {
        let seed = seed ^ UInt64(truncatingIfNeeded: client.hashValue)
        return TestThread { [self] in
            var random = SeededGenerator(seed: seed)
            var tables: [String] = []
            while !isOver.withLock(\.self) {
                usleep(UInt32.random(in: 1000...30_000, using: &random))
                let id = history.nextCall(of: client)
                let isBackground = name == "s2"
                var batch = PropertyListBatch()
                let kind: CallKind
                let key = "key\(Int.random(in: 0..<4, using: &random))"
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<5:
                    var changes: [String: String?] = [key: "\"\(id)\""]
                    batch.set(.string(id), forKey: key)
                    if Bool.random(using: &random) {
                        batch.set(.string(id), forKey: "other")
                        changes["other"] = "\"\(id)\""
                    }
                    kind = .write(RecordedBatch(changes))
                case 5..<8 where !isBackground:
                    let present = store.value(forKey: "count")
                    let number =
                        present.flatMap { if case .integer(let value) = $0 { Int(value.int64 ?? 0) } else { nil } } ?? 0
                    batch.expect(present, forKey: "count")
                    batch.set(.integer(PropertyListInteger(number + 1)), forKey: "count")
                    kind = .increment(key: "count")
                case 8 where !isBackground:
                    let present = store.value(forKey: key)
                    batch.expect(present, forKey: key)
                    batch.set(.string(id), forKey: key)
                    kind = .compareAndSet(key: key, expected: present?.text, new: "\"\(id)\"")
                default:
                    batch.remove(key)
                    kind = .write(RecordedBatch([key: nil]))
                }
                batch.set(.string(id), forKey: "calls/\(id)")
                history.began(id, client: client, store: name, kind, tag: "calls/\(id)")
                do throws(StoreError) {
                    try store.apply(batch)
                    if isBackground {
                        tables.append(id)
                        openCalls.withLock { $0[client] = tables }
                    } else {
                        history.ended(id, .acknowledged)
                    }
                } catch {
                    switch error.code {
                    case .outcomeUnknown, .notShown: history.ended(id, .unknown)
                    case .conflict: history.ended(id, .refused(.conflict))
                    default: history.ended(id, .refused(.other))
                    }
                }
            }
        }
    }
}

extension PropertyListTable {
    /// The values as texts of the cluster.
    fileprivate var texts: [String: String] {
        reduce(into: [:]) { $0[$1.key] = $1.value.text }
    }
}

extension PropertyListValue {
    /// The value as a text of the cluster.
    fileprivate var text: String { String(decoding: EntryText.encode(self), as: UTF8.self) }
}
