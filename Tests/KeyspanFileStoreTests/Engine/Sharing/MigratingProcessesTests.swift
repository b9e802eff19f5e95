@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@Suite struct MigratingProcessesTests {
    private typealias Migration = Defaults.Migration
    private static let runs = Defaults.Key<Int>("runs", default: 0)
    private let folder = TemporaryFolder.forTest
    private var path: String { folder.path("file.json") }

    /// The modes, each with the two ways to decide what other batches expect.
    static let modes = FileStoreOptions.modes.flatMap { options in
        [FileStoreOptions.Expectations.acrossProcesses, .withinProcess].map { expectations in
            var options = options
            options.expectations = expectations
            return options
        }
    }

    init() throws {
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

    private func open(_ options: FileStoreOptions, on fileSystem: any FileSystem = POSIXFileSystem()) throws
        -> ProcessDouble
    {
        try ProcessDouble(path: path, options: options, fileSystem: fileSystem)
    }

    private func version(in process: ProcessDouble) -> PropertyListValue? {
        process["keyspan.migrations"]?["app"]?["version"]
    }

    @Test(arguments: modes)
    func `migrations are done by one process, and never go back`(options: FileStoreOptions) throws {
        let processes = try (1...3).map { _ in try open(options) }
        #expect(try Defaults(processes[2].store).migrate(Self.plan(of: 3)))
        // They are in the file before the program goes on.
        #expect(version(in: try open(options)) == 3)
        try processes[2].save(["runs": 9])
        for plan in [1, 2] { #expect(try !Defaults(processes[plan - 1].store).migrate(Self.plan(of: plan))) }
        for process in processes { try process.store.synchronize() }
        for process in processes + [try open(options)] {
            #expect(version(in: process) == 3 && process["count"] == 3)
            #expect(process["volume"] == 0.8 && process["runs"] == 9)
        }
    }

    @Test(arguments: modes)
    func `migrations survive a power loss when the program goes on`(options: FileStoreOptions) throws {
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
    func `migrations of another process are not taken for durable`(options: FileStoreOptions) throws {
        let fileSystem = FaultyFileSystem()
        try Defaults(try open(options).store).migrate(Self.plan(of: 1))
        let process = try open(options, on: fileSystem)
        fileSystem.inject(.refusal(.fsync, errno: EIO))
        let error = #expect(throws: Defaults.MigrationError.self) {
            try Defaults(process.store).migrate(Self.plan(of: 1))
        }
        #expect(error?.isMigrated == true)
        fileSystem.inject(.none)
        #expect(try !Defaults(process.store).migrate(Self.plan(of: 1)))
    }

    @Test func `migrations look at what is in the other store now`() throws {
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
