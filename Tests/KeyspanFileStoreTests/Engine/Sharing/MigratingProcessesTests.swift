@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@Suite struct MigratingProcessesTests {
    private typealias Migration = Defaults.Migration
    private static let runs = Defaults.Key<Int>("runs", default: 0)
    private let folder: TemporaryFolder
    private let path: String

    /// The modes, each with the two ways to decide what other batches expect.
    static let modes = FileStoreOptions.modes.flatMap { options in
        [FileStoreOptions.Expectations.acrossProcesses, .withinProcess].map { expectations in
            var options = options
            options.expectations = expectations
            return options
        }
    }

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("file.json")
        try folder.write(["launchCount": 3, "count": 0, "volume": 80])
    }

    /// The migrations that a program of some version knows, each of which counts how often it was done.
    private static func plan(of version: Int) -> Defaults.MigrationPlan {
        let count = Migration.Step.edit { edit in
            edit["count"] = .integer(.init(1 + (edit["count"]?.integerValue?.int64 ?? 0)))
        }
        let (first, second) = (Migration(to: 1, .rename("launchCount", to: runs), count), Migration(to: 2, count))
        let third = Migration(to: 3, .transform("volume") { .real(($0.integerValue?.exactDouble ?? 0) / 100) }, count)
        return switch version {
        case 1: Defaults.MigrationPlan("app", first)
        case 2: Defaults.MigrationPlan("app", first, second)
        default: Defaults.MigrationPlan("app", first, second, third)
        }
    }

    private func version(in process: ProcessDouble) -> PropertyListValue? {
        process["keyspan.migrations"]?["app"]?["version"]
    }

    @Test(arguments: modes)
    func `migrations of several processes are done by one of them, and lose no newer write`(
        options: FileStoreOptions
    ) throws {
        let (first, second) = (
            try ProcessDouble(path: path, options: options), try ProcessDouble(path: path, options: options)
        )
        #expect(try Defaults(first.store).migrate(Self.plan(of: 1)))
        try first.save(["runs": 9])
        #expect(try !Defaults(second.store).migrate(Self.plan(of: 1)))
        try second.store.synchronize()
        let fresh = try ProcessDouble(path: path, options: options)
        for process in [second, fresh] {
            #expect(process["runs"] == 9)
            #expect(process["count"] == 1)
        }
    }

    @Test(arguments: modes)
    func `migrations of several processes of several versions never go back`(options: FileStoreOptions) throws {
        let processes = try (1...3).map { _ in try ProcessDouble(path: path, options: options) }
        #expect(try Defaults(processes[2].store).migrate(Self.plan(of: 3)))
        #expect(try !Defaults(processes[0].store).migrate(Self.plan(of: 1)))
        #expect(try !Defaults(processes[1].store).migrate(Self.plan(of: 2)))
        for process in processes { try process.store.synchronize() }
        let fresh = try ProcessDouble(path: path, options: options)
        #expect(version(in: fresh) == 3)
        #expect(fresh["count"] == 3)
        #expect(fresh["volume"] == 0.8)
    }

    @Test(arguments: modes)
    func `migrations of several processes are in the file before the program goes on`(
        options: FileStoreOptions
    ) throws {
        let process = try ProcessDouble(path: path, options: options)
        try Defaults(process.store).migrate(Self.plan(of: 2))
        #expect(version(in: try ProcessDouble(path: path, options: options)) == 2)
    }

    @Test(arguments: modes)
    func `migrations of several processes survive a power loss when the program goes on`(
        options: FileStoreOptions
    ) throws {
        let disk = SimulatedDisk(.init(reordersNames: true))
        try disk.makeFolders("/data")
        let process = try ProcessDouble(path: "/data/file.json", options: options, fileSystem: disk)
        try process.save(["launchCount": 3])
        try Defaults(process.store).migrate(Self.plan(of: 1))
        for found in disk.crashes() {
            let survivor = try ProcessDouble(path: "/data/file.json", options: options, fileSystem: found)
            #expect(version(in: survivor) == 1)
            #expect(survivor["runs"] == 3)
        }
    }

    /// A process that finds the work of another one done makes it durable, or says that it could not.
    @Test(arguments: modes)
    func `migrations of several processes that another process has done are not taken for durable`(
        options: FileStoreOptions
    ) throws {
        let fileSystem = FaultyFileSystem()
        try Defaults(try ProcessDouble(path: path, options: options).store).migrate(Self.plan(of: 1))
        let process = try ProcessDouble(path: path, options: options, fileSystem: fileSystem)
        fileSystem.inject(.refusal(.fsync, errno: EIO))
        let error = #expect(throws: Defaults.MigrationError.self) {
            try Defaults(process.store).migrate(Self.plan(of: 1))
        }
        #expect(error?.isMigrated == true)
        fileSystem.inject(.none)
        #expect(try !Defaults(process.store).migrate(Self.plan(of: 1)))
    }

    @Test func `migrations of several processes look at what is in the other store now`() throws {
        let oldPath = folder.path("old.json")
        try folder.write(JSONFileCodec().encode(["theme": "dark"]), to: "old.json")
        let options = FileStoreOptions(isWatching: false)
        let (old, store) = (try ProcessDouble(path: oldPath, options: options), try ProcessDouble(path: path))
        try ProcessDouble(path: oldPath).save(["total": 7])
        let plan = Defaults.MigrationPlan(
            "app",
            Migration(to: 1, .move("total", from: old.store, to: Defaults.Key<Int?>("total")))
        )
        #expect(try Defaults(store.store).migrate(plan))
        #expect(store["total"] == 7)
        #expect(try ProcessDouble(path: oldPath)["total"] == nil)
    }
}

@Suite struct ModifyingProcessesTests {
    private struct Refusal: Error {}
    private let folder: TemporaryFolder
    private let path: String
    private static let number = Defaults.Key<Int>("n", default: 0)

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("file.json")
    }

    @Test(arguments: ExpectationTests.modes)
    func `modify by several processes on one file loses no increment`(
        options: FileStoreOptions,
        validates: Bool
    ) throws {
        let processes = try (0..<2).map { _ in
            try ProcessDouble(path: path, options: options, validate: validates ? { @Sendable _ in } : nil)
        }
        for count in 1...5 {
            for (index, process) in processes.enumerated() {
                let result = Defaults(process.store).modify(Self.number) { number in
                    number += 1
                    return number
                }
                #expect(result == count * 2 - 1 + index)
            }
        }
    }

    @Test func `a change in place is compared with memory, and waits for no disk`() throws {
        let (first, second) = (try ProcessDouble(path: path), try ProcessDouble(path: path))
        Defaults(first.store)[Self.number] += 1
        #expect(try ProcessDouble(path: path)["n"] == nil)
        Defaults(second.store).modify(Self.number) { $0 += 5 }
        #expect(try ProcessDouble(path: path)["n"] == 5)
    }

    @Test(arguments: FileStoreOptions.modes)
    func `a change in place over a value that was refused is written`(options: FileStoreOptions) throws {
        try folder.write(["n": 1])
        let process = try ProcessDouble(path: path, options: options) { table in
            if table["n"] == 0 { throw Refusal() }
        }
        try folder.write(["n": 0])
        Defaults(process.store)[Self.number] += 1
        try process.store.synchronize()
        #expect(process["n"] == 2)
        process.passTime()
        #expect(try folder.table() == ["n": 2])
    }
}
