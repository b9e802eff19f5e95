import Foundation
import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@Suite(.heavy, .enabled(if: TestCluster.isInstalled), .serialized, .seeded) struct EtcdFaultTests {
    /// Runs rounds on one cluster, one after the other.
    private func run(_ count: Int, hasNetworks: Bool) async throws {
        let faulty = try FaultyCluster(hasNetworks: hasNetworks)
        defer { faulty.stop() }
        var (faults, calls): ([ClusterFault: Int], [History.Outcome: Int]) = ([:], [:])
        for seed in SeededGenerator.seeds(count) {
            let round = FaultRound(on: faulty, seed: seed)
            let (happened, history, failures) = try await round.run(lasting: .seconds(2))
            for fault in happened { faults[fault, default: 0] += 1 }
            for call in history.calls { calls[call.outcome, default: 0] += 1 }
            if !failures.isEmpty {
                let file = "\(FileManager.default.temporaryDirectory.path)/keyspan-history-\(seed).txt"
                try "\(history)".write(toFile: file, atomically: true, encoding: .utf8)
                let sentences = failures.prefix(20).joined(separator: "\n")
                Issue.record("seed \(seed), faults \(happened): \(sentences)\nthe whole history: \(file)")
                break
            }
        }
        print("faults: \(faults), calls: \(calls)")
    }

    @Test func `faults of members and connections lose nothing`() async throws {
        try await run(TestLevel.current.pick(6, thorough: 40, exhaustive: 2000), hasNetworks: false)
    }

    @Test(.enabled(if: NetworkedCluster.isAvailable))
    func `cut networks between members lose nothing`() async throws {
        try await run(TestLevel.current.pick(3, thorough: 20, exhaustive: 1000), hasNetworks: true)
    }
}
