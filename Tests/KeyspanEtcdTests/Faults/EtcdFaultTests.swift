import Foundation
import KeyspanCore
import KeyspanTesting
import Testing

@Suite(.enabled(if: TestCluster.isInstalled), .serialized) struct EtcdFaultTests {
    /// The rounds on one cluster, of which several run after each other.
    private func run(_ count: Int, hasNetworks: Bool) async throws {
        let faulty = try await TestThread.run { try FaultyCluster(hasNetworks: hasNetworks) }
        defer { faulty.stop() }
        var table = FaultTable()
        for index in 0..<count {
            let seed = SeededGenerator.seedOfRun &+ UInt64(index)
            let round = FaultRound(on: faulty, seed: seed)
            let outcome = try await withTaskExecutorPreference(TestThreadExecutor.shared) {
                try await round.run(lasting: .seconds(2))
            }
            table.add(outcome)
            if let report = outcome.report {
                let file = "\(FileManager.default.temporaryDirectory.path)/keyspan-history-\(seed).txt"
                try outcome.description.write(toFile: file, atomically: true, encoding: .utf8)
                Issue.record(
                    "seed \(seed), faults \(outcome.faults): \(report.prefix(4000))\nthe whole history: \(file)"
                )
                break
            }
        }
        print(table)
    }

    @Test func `faults of members and connections lose nothing`() async throws {
        try await run(TestLevel.current.pick(12, thorough: 40, exhaustive: 2000), hasNetworks: false)
    }

    @Test(.enabled(if: NetworkedCluster.isAvailable))
    func `cut networks between members lose nothing`() async throws {
        try await run(TestLevel.current.pick(6, thorough: 20, exhaustive: 1000), hasNetworks: true)
    }
}

/// The number of faults of each kind, and what became of the calls under them.
struct FaultTable: CustomStringConvertible {
    private var rounds = 0
    private var faults: [ClusterFault: Int] = [:]
    private var (acknowledged, refused, unknown, reads, failed) = (0, 0, 0, 0, 0)

    mutating func add(_ outcome: FaultRound.Outcome) {
        rounds += 1
        for fault in outcome.faults { faults[fault, default: 0] += 1 }
        acknowledged += outcome.acknowledged
        refused += outcome.refused
        unknown += outcome.unknown
        reads += outcome.reads
        if outcome.report != nil { failed += 1 }
    }

    var description: String {
        let lines = faults.sorted { $0.key.rawValue < $1.key.rawValue }.map { "  \($0.key.rawValue): \($0.value)" }
        return """
            \(rounds) rounds: \(acknowledged) calls acknowledged, \(refused) refused, \(unknown) unknown, \(reads) snapshots read, \
            \(failed) rounds failed
            \(lines.joined(separator: "\n"))
            """
    }
}
