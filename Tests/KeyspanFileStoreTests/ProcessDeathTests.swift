import KeyspanCore
import KeyspanFileStore
import KeyspanTesting
import Testing

/// One process is killed at each system call, another one goes on and acknowledges what it finds, and then the power goes.
@Suite(.heavy)
struct ProcessDeathTests {
    @Test(arguments: SurvivorScenario.all)
    func `the survivor of a killed process acknowledges nothing that a power loss takes away`(
        scenario: SurvivorScenario
    ) throws {
        for call in 1... {
            let run = try scenario.run(victimKilledAtCall: call)
            let (enumerated, sampled) = TestLevel.current.pick((2, 1), thorough: (8, 8), exhaustive: (256, 200))
            for (number, found) in run.disk.crashes(enumerated: enumerated, sampled: sampled).enumerated() {
                let problem = scenario.problem(with: found, after: run)
                try #require(problem == nil, "disk \(number) after \(run.history)")
            }
            if !run.victimWasKilled { return }
        }
    }

    @Test(arguments: SurvivorScenario.typical)
    func `the survivor of a killed process leaves a file that opens if the power goes while it goes on`(
        scenario: SurvivorScenario
    ) throws {
        let (step, laterStep) = TestLevel.current.pick((19, 11), thorough: (7, 3), exhaustive: (1, 1))
        let count = TestLevel.current.pick(2, thorough: 8)
        for call in stride(from: 1, through: Int.max, by: step) {
            for laterCall in stride(from: 1, through: Int.max, by: laterStep) {
                let run = try scenario.run(victimKilledAtCall: call, survivorKilledAtCall: laterCall)
                for (number, found) in run.disk.crashes(enumerated: count, sampled: count).enumerated() {
                    let problem = scenario.problem(with: found, after: run)
                    try #require(problem == nil, "disk \(number) after \(run.history)")
                }
                if !run.survivorWasKilled { break }
            }
            if try !scenario.run(victimKilledAtCall: call).victimWasKilled { return }
        }
    }
}
