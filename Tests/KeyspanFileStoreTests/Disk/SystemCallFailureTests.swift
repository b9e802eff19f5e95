import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Each system call fails once, then every one succeeds.
@Suite(.heavy)
struct SystemCallFailureTests {
    /// One error of each kind that the stores distinguish, or all errors of disks and limits.
    private static let errors = TestLevel.current.pick(
        [EIO, EACCES, EINTR],
        thorough: [EIO, EACCES, EINTR],
        exhaustive: [EIO, ENOSPC, EDQUOT, EROFS, EACCES, EPERM, EMFILE, ENFILE, ENOMEM, ESTALE, EINTR]
    )
    /// The distance between the calls that fail.
    private static let step = TestLevel.current.pick(13, thorough: 1)
    private static let scenarios = TestLevel.current.pick(
        DurabilityScenario.typical,
        thorough: DurabilityScenario.onReorderingDisks
    )
    private static let (enumerated, sampled) = TestLevel.current.pick((2, 2), thorough: (64, 32))

    @Test(arguments: scenarios, errors)
    func `a store with one failing system call succeeds when it tries again, and keeps acknowledged values`(
        scenario: DurabilityScenario,
        errno: Int32
    ) throws {
        for call in stride(from: 1, through: Int.max, by: Self.step) {
            let disk = try scenario.makeDisk()
            let fileSystem = FaultyFileSystem(disk)
            fileSystem.inject(.failure(call: call, errno: errno))
            try check(scenario, disk, fileSystem, "\(fileSystem.calls.prefix(call))")
            if fileSystem.calls.count < call { return }
        }
    }

    @Test(arguments: scenarios)
    func `a store with one failing system call writes again what a flush lost that failed`(scenario: DurabilityScenario)
        throws
    {
        for flush in 1... {
            let disk = try scenario.makeDisk()
            disk.failFlush(number: flush)
            try check(scenario, disk, disk, "flush \(flush)")
            if !disk.state.flushHasFailed { return }
        }
    }

    @Test(arguments: scenarios, TestLevel.current.pick([7], thorough: [1, 7, 512]))
    func `a store with one failing system call goes on after writes that take only some bytes`(
        scenario: DurabilityScenario,
        count: Int
    ) throws {
        let disk = try scenario.makeDisk()
        let fileSystem = FaultyFileSystem(disk)
        fileSystem.inject(.shortWrites(count: count))
        try check(scenario, disk, fileSystem, "writes of \(count) bytes")
    }

    @Test(arguments: scenarios)
    func `a store with one failing system call keeps acknowledged values on a full disk, and saves when there is room`(
        scenario: DurabilityScenario
    ) throws {
        for capacity in stride(from: 0, to: 3000, by: TestLevel.current.pick(500, thorough: 50)) {
            let disk = try scenario.makeDisk()
            disk.setCapacity(capacity)
            let synchronized = scenario.run(on: disk)
            for found in disk.crashes(enumerated: Self.enumerated, sampled: Self.sampled) {
                let problem = scenario.problem(with: found, after: synchronized)
                try #require(problem == nil, "on a disk of \(capacity) bytes")
            }
            disk.setCapacity(nil)
            try check(scenario, disk, disk, "on a disk that had \(capacity) bytes")
        }
    }

    @Test(arguments: FileStoreOptions.modes)
    func `a store with one failing system call makes a batch durable that failed and is applied again`(
        options: FileStoreOptions
    ) throws {
        for call in stride(from: 1, through: Int.max, by: Self.step) {
            let disk = SimulatedDisk(.init(reordersNames: true))
            try disk.write(fileBytes("old"), to: "/data/settings.json")
            let fileSystem = FaultyFileSystem(disk)
            let process = try ProcessDouble(path: "/data/settings.json", options: options, fileSystem: fileSystem)
            fileSystem.inject(.failure(call: call, errno: EIO))
            if (try? process.save(["key": "new"])) == nil { try process.save(["key": "new"]) }
            for found in disk.crashes(enumerated: Self.enumerated, sampled: Self.sampled) {
                let later = try ProcessDouble(path: "/data/settings.json", fileSystem: found)
                try #require(later["key"] == "new", "after \(fileSystem.calls)")
            }
            if fileSystem.calls.count < call { return }
        }
    }

    private func check(
        _ scenario: DurabilityScenario,
        _ disk: SimulatedDisk,
        _ fileSystem: any FileSystem,
        _ place: @autoclosure () -> String
    ) throws {
        let synchronized = scenario.run(on: fileSystem, attempts: 2)
        try #require(synchronized == DurabilityScenario.batches, "\(place())")
        try #require(disk.openFileCount == 0, "\(place())")
        for found in disk.crashes(enumerated: Self.enumerated, sampled: Self.sampled) {
            let problem = scenario.problem(with: found, after: synchronized)
            try #require(problem == nil, "\(place())")
        }
    }
}
