import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// The machine stops at each system call, and starts with each disk that may be left.
@Suite(.heavy)
struct PowerLossTests {
    /// The number of disks of each kind, where tests multiply.
    private static let count = TestLevel.current.pick(1, thorough: 4)

    @Test(arguments: DurabilityScenario.all)
    func `a store whose machine loses power opens again with whole batches and every one that was synchronized`(
        scenario: DurabilityScenario
    ) throws {
        for call in stride(from: 1, through: Int.max, by: TestLevel.current.pick(5, thorough: 1)) {
            let disk = try scenario.makeDisk()
            let fileSystem = FaultyFileSystem(disk)
            fileSystem.inject(.crash(call: call))
            let synchronized = scenario.run(on: fileSystem)
            let (enumerated, sampled) = TestLevel.current.pick((3, 3), thorough: (32, 16), exhaustive: (256, 200))
            for (number, found) in disk.crashes(enumerated: enumerated, sampled: sampled).enumerated() {
                let problem = scenario.problem(with: found, after: synchronized)
                try #require(problem == nil, "disk \(number) after \(fileSystem.calls.prefix(call))")
            }
            guard fileSystem.calls.count >= call else {
                #expect(synchronized == DurabilityScenario.batches)
                return
            }
        }
    }

    @Test(arguments: DurabilityScenario.typical)
    func `a store whose machine loses power opens again if the power goes a second time while it opens`(
        scenario: DurabilityScenario
    ) throws {
        let step = TestLevel.current.pick(23, thorough: 7, exhaustive: 1)
        for call in stride(from: 1, through: Int.max, by: step) {
            let disk = try scenario.makeDisk()
            let fileSystem = FaultyFileSystem(disk)
            fileSystem.inject(.crash(call: call))
            let synchronized = scenario.run(on: fileSystem)
            for found in disk.crashes(enumerated: Self.count, sampled: Self.count) {
                try checkOpening(of: found, scenario, synchronized)
            }
            if fileSystem.calls.count < call { return }
        }
    }

    @Test(arguments: DurabilityScenario.typical)
    func `a store whose machine loses power goes on saving when it is open again, and loses nothing the next time`(
        scenario: DurabilityScenario
    ) throws {
        let step = TestLevel.current.pick(11, thorough: 3, exhaustive: 1)
        for call in stride(from: 1, through: Int.max, by: step) {
            let disk = try scenario.makeDisk()
            let fileSystem = FaultyFileSystem(disk)
            fileSystem.inject(.crash(call: call))
            _ = scenario.run(on: fileSystem)
            for found in disk.crashes(enumerated: 4 * Self.count, sampled: 2 * Self.count) {
                let synchronized = try scenario.resume(on: found)
                for foundNext in found.crashes(enumerated: 2 * Self.count, sampled: Self.count) {
                    let problem = scenario.problem(with: foundNext, after: synchronized)
                    try #require(problem == nil, "after \(fileSystem.calls.prefix(call))")
                }
            }
            if fileSystem.calls.count < call { return }
        }
    }

    private func checkOpening(of disk: SimulatedDisk, _ scenario: DurabilityScenario, _ synchronized: Int?) throws {
        for call in 1... {
            let copy = disk.afterProcessesWereKilled()
            let fileSystem = FaultyFileSystem(copy)
            fileSystem.inject(.crash(call: call))
            _ = try? scenario.open(on: fileSystem)
            for found in copy.crashes(enumerated: 2 * Self.count, sampled: 2 * Self.count) {
                let problem = scenario.problem(with: found, after: synchronized)
                try #require(problem == nil, "after \(fileSystem.calls.prefix(call))")
            }
            if fileSystem.calls.count < call { return }
        }
    }
}

/// One process is killed at each system call, another one goes on and acknowledges what it finds, and then the power goes.
@Suite(.heavy)
struct ProcessDeathTests {
    @Test(arguments: SurvivorScenario.all)
    func `the survivor of a killed process acknowledges nothing that a power loss takes away`(
        scenario: SurvivorScenario
    ) throws {
        for call in stride(from: 1, through: Int.max, by: TestLevel.current.pick(7, thorough: 1)) {
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
        let (step, laterStep) = TestLevel.current.pick((29, 17), thorough: (7, 3), exhaustive: (1, 1))
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
