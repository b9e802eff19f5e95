import KeyspanTestSupport
import KeyspanTesting
import Testing

@Suite(.heavy, .enabled(if: TestCluster.isInstalled), .seeded) struct RandomRestoreTests {
    @Test func `random histories before and after a restore mislead no store`() throws {
        let stage = try RestorableCluster()
        defer { stage.stop() }
        for seed in SeededGenerator.seeds(TestLevel.current.pick(4, thorough: 60, exhaustive: 2_000)) {
            var round = RestoreRound(on: stage, seed: seed)
            var failures: [String] = []
            do {
                try round.run()
            } catch {
                failures.append("\(error)")
            }
            failures += round.failures
            if !failures.isEmpty { Issue.record("seed \(seed): \((failures + round.story).joined(separator: "\n"))") }
        }
    }
}
