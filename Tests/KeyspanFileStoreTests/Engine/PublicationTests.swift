@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// When other processes see changes that are not flushed yet.
@Suite struct PublicationTests {
    private static let path = "/data/settings.json"

    private let disk = SimulatedDisk()

    init() throws {
        try disk.makeFolders("/data")
    }

    @Test func `a change with the default options is visible to others at once, and flushed by the save`() throws {
        let (first, second) = (try disk.process(), try disk.process())
        try first.save(["a": 1])
        try first.set(["a": 2])
        try first.set(["b": 2])
        first.passMoment()
        let found = Set(try disk.crashes().map { try ProcessDouble(path: Self.path, fileSystem: $0)["a"] })
        #expect(found == [1, 2])
        #expect(try ProcessDouble(path: Self.path, fileSystem: disk.afterProcessesWereKilled())["a"] == 2)
        second.look()
        #expect(second["a"] == 2 && second["b"] == 2)
        try first.set(["a": 3])
        // The save, and the publication after an interval.
        first.passTime()
        second.look()
        #expect(second["a"] == 3)
        for crash in disk.crashes() { #expect(try ProcessDouble(path: Self.path, fileSystem: crash)["a"] == 3) }
    }

    @Test(arguments: [FileStoreOptions(durability: .onSynchronize), .oneFile])
    func `a change with other options is not visible to others before it is saved`(options: FileStoreOptions) throws {
        let (first, second) = (try disk.process(options), try disk.process(options))
        try first.save(["a": 1])
        try first.set(["a": 2])
        first.passMoment()
        second.look()
        #expect(second["a"] == 1)
        try first.store.synchronize()
        second.look()
        #expect(second["a"] == 2)
    }

    @Test(arguments: [SystemCall.pwrite, .flock, .pread])
    func `a change that cannot be made visible is saved later, and only the save reports why`(call: SystemCall) throws {
        let fileSystem = FaultyFileSystem(disk.startProcess())
        let (first, second) = (try disk.process(on: fileSystem), try disk.process())
        try first.save(["a": 1])
        try first.set(["a": 2])
        fileSystem.inject(.refusal(call, errno: EIO))
        first.passMoment()
        #expect(first.failures.isEmpty)
        first.passTime()
        #expect(!first.failures.isEmpty)
        fileSystem.inject(.none)
        first.passTime()
        second.look()
        #expect(first["a"] == 2 && second["a"] == 2)
        for crash in disk.crashes() { #expect(try ProcessDouble(path: Self.path, fileSystem: crash)["a"] == 2) }
    }

    @Test func `changes become visible at once, and then once in each interval`() {
        var schedule = PublicationSchedule()
        let start = LockPatience.now
        #expect(schedule.request(at: start) == .zero)
        #expect(schedule.request(at: start) == nil)
        schedule.begin(at: start)
        let (soon, later) = (start + PublicationSchedule.interval * 0.25, start + PublicationSchedule.interval * 2)
        #expect(schedule.request(at: soon) == PublicationSchedule.interval * 0.75)
        schedule.begin(at: later)
        #expect(schedule.request(at: later + PublicationSchedule.interval) == .zero)
    }

    @Test func `the watcher passes over the process's own writes, and over no others`() throws {
        let options = FileStoreOptions(durability: .everyBatch)
        let fileSystem = FaultyFileSystem(disk.startProcess())
        let (first, second) = (try disk.process(options, on: fileSystem), try disk.process(options))
        try first.set(["a": 1])
        #expect(first.knowsEndOfJournal && !second.knowsEndOfJournal)
        second.look()
        #expect(second.knowsEndOfJournal)
        try second.set(["b": 2])
        #expect(!first.knowsEndOfJournal && second.knowsEndOfJournal)
        first.look()
        #expect(first.knowsEndOfJournal)

        // While the record is there and not flushed yet.
        let knows = Locked<Bool?>(nil)
        fileSystem.inject(.interlude(before: .fdatasync) { knows.withLock { $0 = first.knowsEndOfJournal } })
        try first.set(["a": 3])
        #expect(knows.withLock(\.self) == true)
        second.look()

        fileSystem.inject(.refusal(.fdatasync, errno: EIO))
        #expect(throws: StoreError.self) { try first.set(["a": 4]) }
        fileSystem.inject(.none)
        #expect(second.knowsEndOfJournal)

        // A checkpoint begins another epoch.
        first.passTime()
        #expect(!second.knowsEndOfJournal)
        second.look()
        #expect(second.knowsEndOfJournal)
        try disk.removeFile("/data/.settings.json.journal")
        try first.set(["a": 5])
        #expect(first.knowsEndOfJournal)
    }
}
