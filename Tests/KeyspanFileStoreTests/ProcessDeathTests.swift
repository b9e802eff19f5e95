import KeyspanCore
import KeyspanFileStore
import Testing

/// One process is killed at each system call, another one goes on and acknowledges what it finds, and then the power goes.
@Suite("A process that goes on when another one was killed")
struct ProcessDeathTests {
    @Test(arguments: SurvivorScenario.all)
    func `acknowledges nothing that a power loss takes away`(scenario: SurvivorScenario) throws {
        for call in 1... {
            let run = try scenario.run(victimKilledAtCall: call)
            let (enumerated, sampled) = TestExtent.isThorough ? (256, 200) : (8, 8)
            for (number, found) in run.disk.crashes(enumerated: enumerated, sampled: sampled).enumerated() {
                let problem = scenario.problem(with: found, after: run)
                try #require(problem == nil, "disk \(number) after \(run.history)")
            }
            if !run.victimWasKilled { return }
        }
    }

    @Test(arguments: SurvivorScenario.typical)
    func `leaves a file that opens if the power goes while it goes on`(scenario: SurvivorScenario) throws {
        for call in stride(from: 1, through: Int.max, by: TestExtent.isThorough ? 1 : 7) {
            for laterCall in stride(from: 1, through: Int.max, by: TestExtent.isThorough ? 1 : 3) {
                let run = try scenario.run(victimKilledAtCall: call, survivorKilledAtCall: laterCall)
                for (number, found) in run.disk.crashes(enumerated: 8, sampled: 8).enumerated() {
                    let problem = scenario.problem(with: found, after: run)
                    try #require(problem == nil, "disk \(number) after \(run.history)")
                }
                if !run.survivorWasKilled { break }
            }
            if try !scenario.run(victimKilledAtCall: call).victimWasKilled { return }
        }
    }
}
