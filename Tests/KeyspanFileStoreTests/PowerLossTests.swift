import KeyspanFileStore
import Testing

/// The machine stops at each system call, and starts with each disk that may be left.
@Suite("A store whose machine loses power")
struct PowerLossTests {
    @Test(arguments: DurabilityScenario.all)
    func `opens again with whole batches and every one that was synchronized`(scenario: DurabilityScenario) throws {
        for call in 1... {
            let disk = try scenario.makeDisk()
            let fileSystem = FaultyFileSystem(disk)
            fileSystem.inject(.crash(call: call))
            let synchronized = scenario.run(on: fileSystem)
            let (enumerated, sampled) = TestExtent.isThorough ? (256, 200) : (32, 16)
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
    func `opens again if the power goes a second time while it opens`(scenario: DurabilityScenario) throws {
        for call in stride(from: 1, through: Int.max, by: TestExtent.isThorough ? 1 : 7) {
            let disk = try scenario.makeDisk()
            let fileSystem = FaultyFileSystem(disk)
            fileSystem.inject(.crash(call: call))
            let synchronized = scenario.run(on: fileSystem)
            for found in disk.crashes(enumerated: 4, sampled: 4) {
                try checkOpening(of: found, scenario, synchronized)
            }
            if fileSystem.calls.count < call { return }
        }
    }

    @Test(arguments: DurabilityScenario.typical)
    func `goes on saving when it is open again, and loses nothing the next time`(scenario: DurabilityScenario) throws {
        for call in stride(from: 1, through: Int.max, by: TestExtent.isThorough ? 1 : 3) {
            let disk = try scenario.makeDisk()
            let fileSystem = FaultyFileSystem(disk)
            fileSystem.inject(.crash(call: call))
            _ = scenario.run(on: fileSystem)
            for found in disk.crashes(enumerated: 16, sampled: 8) {
                let synchronized = try scenario.resume(on: found)
                for foundNext in found.crashes(enumerated: 8, sampled: 4) {
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
            for found in copy.crashes(enumerated: 8, sampled: 8) {
                let problem = scenario.problem(with: found, after: synchronized)
                try #require(problem == nil, "after \(fileSystem.calls.prefix(call))")
            }
            if fileSystem.calls.count < call { return }
        }
    }
}
