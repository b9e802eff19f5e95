import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// Someone removes the file, and not its journal, while processes have it open.
@Suite struct RemovedFileTests {
    private let folder = TemporaryFolder.forTest
    private static let modes: [FileStoreOptions] = [
        FileStoreOptions(), .oneFile, FileStoreOptions(durability: .everyBatch),
        FileStoreOptions(durability: .everyBatch, journal: .none),
    ]
    private static let values: PropertyListTable = ["a": 1, "b": 1, "c": 1]

    private func open(_ options: FileStoreOptions = FileStoreOptions()) throws -> ProcessDouble {
        try ProcessDouble(path: folder.path("file.json"), options: options)
    }

    /// Two processes with a file that had two keys, and a third one in the file or the journal, before it was removed.
    private func openTwo(_ options: FileStoreOptions, isNoticed: Bool) throws -> [ProcessDouble] {
        let processes = [try open(options), try open(options)]
        try processes[0].save(["a": 1, "b": 1])
        processes[0].passTime()
        try processes[0].save(["c": 1])
        processes[1].look()
        try folder.remove("file.json")
        if isNoticed { processes[0].look() }
        return processes
    }

    /// The contents of the file and its journal, for a process that opens them now and writes nothing.
    private func contents(_ options: FileStoreOptions = FileStoreOptions()) throws -> PropertyListTable {
        var file = try SharedFile(
            path: folder.path("file.json"),
            codec: JSONFileCodec(),
            options: FileStoreOptions(journal: options.journal),
            fileSystem: POSIXFileSystem()
        )
        _ = try file.open()
        return file.table
    }

    @Test(arguments: modes, [false, true])
    func `a removed file has everything again with the next change`(options: FileStoreOptions, isNoticed: Bool) throws {
        let processes = try openTwo(options, isNoticed: isNoticed)
        try processes[0].save(["x": 1])
        let expected = Self.values.merging(["x": 1])
        #expect(try contents(options) == expected)
        for _ in 1...2 {
            for process in processes {
                process.look()
                #expect(process.store.snapshot() == expected)
            }
            processes[0].passTime()
            #expect(try folder.table() == expected)
        }
    }

    @Test(arguments: modes, [false, true])
    func `a removed file is back when a change is acknowledged`(options: FileStoreOptions, isNoticed: Bool) throws {
        // Without a look, a store that saves nothing does not know that the file is gone.
        let processes = try openTwo(options, isNoticed: isNoticed || options.durability != .everyBatch)
        try processes[0].save(["a": 1])
        #expect(try contents(options) == Self.values)
    }

    @Test(arguments: modes, [false, true])
    func `a removed file that others begin anew is the same for all`(
        options: FileStoreOptions,
        isNoticed: Bool
    ) throws {
        let processes = try openTwo(options, isNoticed: isNoticed)
        let newcomer = try open(options)
        try newcomer.save(["y": 1])
        newcomer.passTime()
        for process in processes { process.look() }
        try processes[0].save(["x": 1])
        let all = processes + [newcomer]
        for process in all {
            process.passTime()
            process.look()
        }
        let expected = try folder.table()
        #expect(expected["x"] == 1 && expected["y"] == 1)
        for process in all {
            process.look()
            #expect(process.store.snapshot() == expected)
        }
    }

    @Test func `the values of a removed file stay in effect beside the record of a newcomer`() throws {
        try folder.write(["a": 1, "b": 2])
        let process = try open(FileStoreOptions())
        try folder.remove("file.json")
        process.look()
        let newcomer = try open(FileStoreOptions())
        try newcomer.save(["c": 3])
        process.look()
        #expect(process.store.snapshot() == ["a": 1, "b": 2, "c": 3])
        try process.save(["d": 4])
        #expect(try open(FileStoreOptions()).store.snapshot() == ["a": 1, "b": 2, "c": 3, "d": 4])
        withExtendedLifetime(newcomer) {}
    }

    @Test func `a removed file does not bring values from before an edit back`() throws {
        try folder.write(["k": 1])
        let (first, second) = (try open(), try open())
        try first.save(["k": 4])
        first.passTime()
        try folder.edit(["k": 100])
        first.look()
        second.look()
        try second.save(["other": 2])
        second.passTime()
        // The first one has not seen that checkpoint, whose record is behind that of the first.
        try folder.remove("file.json")
        try first.save(["z": 3])
        second.look()
        for process in [first, second] { #expect(process.store.snapshot() == ["k": 100, "other": 2, "z": 3]) }
    }

    @Test(arguments: modes)
    func `a removed file is not written again by processes that only read`(options: FileStoreOptions) throws {
        let process = try open(options)
        try process.save(["a": 1])
        process.passTime()
        try folder.remove("file.json")
        process.look()
        process.passTime()
        #expect(process["a"] == 1)
        #expect(!folder.contains("file.json"))
    }

    @Test func `a removed file takes the version of an editor that comes after a change`() throws {
        try folder.write(["kept": 1, "edited": 1, "removed": 1])
        let process = try open()
        try folder.remove("file.json")
        try process.save(["new": 1])
        try folder.write(["kept": 1, "edited": 2])
        process.look()
        #expect(process.store.snapshot() == ["kept": 1, "edited": 2, "new": 1])
        #expect(try contents() == ["kept": 1, "edited": 2, "new": 1])
    }
}
