import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanEtcd

/// Stores on a cluster that fails by chance, against the history of the cluster.
@Suite(.heavy) struct ClusterModelTests {
    private static let runs = 0..<TestLevel.current.pick(8, thorough: 200, exhaustive: 5_000)

    @Test(arguments: runs)
    func `every write happens as the store says, and all stores end as the cluster`(run: Int) throws {
        let seed = SeededGenerator.seedOfRun &+ UInt64(run)
        var model = ClusterModel(seed: seed)
        let failures = try model.run()
        #expect(failures.isEmpty, "seed \(seed)")
    }
}
