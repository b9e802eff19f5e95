import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// The machine stops at each system call, and starts with each disk that may be left.
@Suite(.heavy, .seeded) struct PowerLossTests {
    /// The number of disks of each kind, where tests multiply.
    private static let count = TestLevel.current.pick(1, thorough: 4)
    private static let withAndWithoutJournal = [FileStoreOptions(), .oneFile].map {
        DurabilityScenario(start: .file, reordersNames: true, options: $0)
    }
    private static let all = TestLevel.current.pick(withAndWithoutJournal, thorough: DurabilityScenario.all)
    private static let typical = TestLevel.current.pick(withAndWithoutJournal, thorough: DurabilityScenario.typical)

    /// The numbers of system calls: each one, or one of so many from one on that the seed of the run chooses.
    static func calls(quick: Int, thorough: Int = 1) -> StrideThrough<Int> {
        let step = TestLevel.current.pick(quick, thorough: thorough, exhaustive: 1)
        return stride(from: 1 + Int(SeededGenerator.seedOfRun % UInt64(step)), through: Int.max, by: step)
    }

    /// Runs a scenario until the machine stops at a call.
    ///
    /// - Returns: The disk, the calls, the last batch that was synchronized, and whether the scenario came to that call.
    private static func run(_ scenario: DurabilityScenario, stoppingAt call: Int) throws -> (
        disk: SimulatedDisk, calls: [FaultyFileSystem.Call], synchronized: Int?, wasStopped: Bool
    ) {
        let disk = try scenario.makeDisk()
        let fileSystem = FaultyFileSystem(disk)
        fileSystem.inject(.crash(call: call))
        let synchronized = scenario.run(on: fileSystem)
        return (disk, Array(fileSystem.calls.prefix(call)), synchronized, fileSystem.calls.count >= call)
    }

    @Test(arguments: all)
    func `a power loss leaves whole batches and each synchronized one`(scenario: DurabilityScenario) throws {
        for call in Self.calls(quick: 29) {
            let run = try Self.run(scenario, stoppingAt: call)
            let (enumerated, sampled) = TestLevel.current.pick((3, 3), thorough: (32, 16), exhaustive: (256, 200))
            for (number, found) in run.disk.crashes(enumerated: enumerated, sampled: sampled).enumerated() {
                let problem = scenario.problem(with: found, after: run.synchronized)
                try #require(problem == nil, "disk \(number) after \(run.calls)")
            }
            if !run.wasStopped { return #expect(run.synchronized == DurabilityScenario.batches) }
        }
    }

    @Test(arguments: typical)
    func `a second power loss while a store opens does no harm`(scenario: DurabilityScenario) throws {
        for call in Self.calls(quick: 29, thorough: 7) {
            let run = try Self.run(scenario, stoppingAt: call)
            for found in run.disk.crashes(enumerated: Self.count, sampled: Self.count) {
                try checkOpening(of: found, scenario, run.synchronized)
            }
            if !run.wasStopped { return }
        }
    }

    @Test(arguments: typical)
    func `a store that opens after a power loss survives the next`(scenario: DurabilityScenario) throws {
        for call in Self.calls(quick: 29, thorough: 3) {
            let run = try Self.run(scenario, stoppingAt: call)
            for found in run.disk.crashes(enumerated: 4 * Self.count, sampled: 2 * Self.count) {
                let synchronized = try scenario.resume(on: found)
                for foundNext in found.crashes(enumerated: 2 * Self.count, sampled: Self.count) {
                    let problem = scenario.problem(with: foundNext, after: synchronized)
                    try #require(problem == nil, "after \(run.calls)")
                }
            }
            if !run.wasStopped { return }
        }
    }

    private func checkOpening(of disk: SimulatedDisk, _ scenario: DurabilityScenario, _ synchronized: Int?) throws {
        for call in Self.calls(quick: 7) {
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
@Suite(.heavy, .seeded) struct ProcessDeathTests {
    private static let withAndWithoutJournal = SurvivorScenario.typical.filter {
        [FileStoreOptions(), .oneFile].contains($0.base.options)
    }
    private static let all = TestLevel.current.pick(withAndWithoutJournal, thorough: SurvivorScenario.all)
    private static let typical = TestLevel.current.pick(withAndWithoutJournal, thorough: SurvivorScenario.typical)

    @Test(arguments: all)
    func `a survivor acknowledges nothing that a power loss takes away`(scenario: SurvivorScenario) throws {
        for call in PowerLossTests.calls(quick: 29) {
            let run = try scenario.run(victimKilledAtCall: call)
            let (enumerated, sampled) = TestLevel.current.pick((2, 1), thorough: (8, 8), exhaustive: (256, 200))
            try check(run, of: scenario, enumerated: enumerated, sampled: sampled)
            if !run.victimWasKilled { return }
        }
    }

    @Test(arguments: typical)
    func `a survivor leaves a file that opens after a power loss`(scenario: SurvivorScenario) throws {
        let count = TestLevel.current.pick(2, thorough: 8)
        for call in PowerLossTests.calls(quick: 29, thorough: 7) {
            for laterCall in PowerLossTests.calls(quick: 17, thorough: 3) {
                let run = try scenario.run(victimKilledAtCall: call, survivorKilledAtCall: laterCall)
                try check(run, of: scenario, enumerated: count, sampled: count)
                if !run.survivorWasKilled { break }
            }
            if try !scenario.run(victimKilledAtCall: call).victimWasKilled { return }
        }
    }

    private func check(_ run: SurvivorScenario.Run, of scenario: SurvivorScenario, enumerated: Int, sampled: Int) throws
    {
        for (number, found) in run.disk.crashes(enumerated: enumerated, sampled: sampled).enumerated() {
            let problem = scenario.problem(with: found, after: run)
            try #require(problem == nil, "disk \(number) after \(run.history)")
        }
    }
}
