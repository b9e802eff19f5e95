import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import Testing

@Suite(.heavy) struct JournalSizeTests {
    private let folder = TemporaryFolder.forTest
    private static let journal = ".file.json.journal"

    private func open(
        limit: Int = 4000,
        _ options: FileStoreOptions = FileStoreOptions(),
        _ fileSystem: any FileSystem = POSIXFileSystem()
    ) throws -> ProcessDouble {
        var options = options
        options.limits.fileSize = limit
        return try ProcessDouble(path: folder.path("file.json"), options: options, fileSystem: fileSystem)
    }

    private var journalSize: Int {
        get throws { try POSIXFileSystem().status(ofItemAt: folder.path(Self.journal)).size }
    }

    /// Makes the journal longer without using space on the disk.
    private func extendJournal(to size: Int) throws {
        let fileSystem = POSIXFileSystem()
        let file = try fileSystem.openFile(folder.path(Self.journal), for: .updating)
        try fileSystem.truncate(file, to: size)
        try fileSystem.closeFile(file)
    }

    @Test(arguments: [100 << 20, 300 << 30])
    func `the journal is limited in size before it is read, also later`(size: Int) throws {
        let process = try open()
        try process.save(["key": 1])
        try extendJournal(to: size)
        let error = #expect(throws: FileStoreError.self) { try open() }
        #expect(error?.step == .readJournal)
        #expect(error?.reason.contains("\(size) bytes") == true)
        let refusal = #expect(throws: StoreError.self) { try process.save(["key": 2]) }
        #expect((refusal?.underlying as? FileStoreError)?.step == .readJournal)
        #expect(process["key"] == 2)
        try extendJournal(to: JournalHeader.length)
        try process.save(["key": 3])
        #expect(try open()["key"] == 3)
    }

    @Test func `the journal stays below what is read, although the background makes no checkpoint`() throws {
        let limit = 3 << 20
        let process = try open(limit: limit, .unhurried)
        let value = PropertyListValue.string(String(repeating: "x", count: 700_000))
        for number in 1...12 {
            try process.save(["key": value, "number": .init(number)])
            #expect(try journalSize <= limit)
        }
        let next = try open(limit: limit)
        #expect(next["number"] == 12)
        #expect(next["key"] == value)
        #expect(process.failures.isEmpty)
    }

    @Test func `the journal has reserved space, in which a record changes no size`() throws {
        let process = try open(limit: 1 << 20, .unhurried)
        try process.save(["number": 0])
        #expect(try journalSize == 4096)
        var sizes: Set<Int> = []
        for number in 1...2000 {
            try process.save(["number": .init(number)])
            sizes.insert(try journalSize)
        }
        // About 80 KB of records.
        #expect(sizes.count < 8)
        #expect(try #require(sizes.max()) < 200_000)
        let whole = try folder.bytes(of: Self.journal)
        #expect(WrittenJournal.withoutReserve(whole).count < whole.count)
        let (other, third) = (try open(limit: 1 << 20, .unhurried), try open(limit: 1 << 20, .unhurried))
        #expect(other["number"] == 2000 && other.notices.isEmpty)
        try other.save(["other": 1])
        #expect(try journalSize == whole.count)
        third.look()
        #expect(third["other"] == 1)
    }

    @Test func `the journal takes a record without reserved space if the disk is full`() throws {
        let disk = SimulatedDisk()
        try disk.makeFolders("/data")
        let process = try ProcessDouble(path: "/data/file.json", options: .unhurried, fileSystem: disk)
        disk.setCapacity(400)
        try process.save(["key": 1])
        let found = try ProcessDouble(path: "/data/file.json", fileSystem: disk.afterProcessesWereKilled())
        #expect(found["key"] == 1 && found.notices.isEmpty)
        disk.setCapacity(nil)
        try process.save(["key": .string(String(repeating: "x", count: 500))])
        #expect(disk.bytes(of: "/data/.file.json.journal")?.count == 4096)
    }

    /// A program of that version, which may have the journal open, would take the zeros for damage.
    @Test func `the journal of the previous version is continued as it is until a checkpoint`() throws {
        try open().save(["key": 1])
        try open().save(["key": 2])
        var old = WrittenJournal.withoutReserve(try folder.bytes(of: Self.journal))
        old[16] = 2
        let checksum = CRC32C.checksum(of: old.prefix(JournalHeader.length - 4))
        for index in 0..<4 {
            old[JournalHeader.length - 4 + index] = UInt8(truncatingIfNeeded: checksum >> (8 * index))
        }
        try folder.write(old, to: Self.journal)
        let process = try open()
        try process.save(["key": 3])
        let continued = try folder.bytes(of: Self.journal)
        #expect(continued.starts(with: old) && continued.count > old.count && continued.last != 0)
        process.passTime()
        #expect(try folder.bytes(of: Self.journal)[16] == 3)
        try process.save(["key": 4])
        let next = try open()
        #expect(next["key"] == 4 && next.notices.isEmpty)
        #expect(try journalSize == 4096)
    }

    @Test(arguments: StoreFormat.allCases)
    func `the journal holds for all processes together`(format: StoreFormat) throws {
        let limit = 4000
        var options = FileStoreOptions()
        options.limits.fileSize = limit
        let path = folder.path("file.\(format.rawValue)")
        func open() throws -> ProcessDouble { try ProcessDouble(path: path, format: format, options: options) }
        let processes = [try open(), try open()]
        var acknowledged: Set<String> = []
        for number in 0..<100 {
            let key = "key \(number)"
            let process = processes[number % 2]
            do {
                try process.save([key: .string(String(repeating: "x", count: 60))])
                acknowledged.insert(key)
            } catch {
                try process.set([key: nil])
                let cause = (error as? StoreError)?.underlying as? FileStoreError
                #expect((error as? StoreError)?.code == .tooLarge || cause?.step == .writeJournal)
            }
        }
        #expect(acknowledged.count > 20)
        for process in processes { process.passTime() }
        #expect(processes.allSatisfy { $0.failures.isEmpty })
        #expect(try POSIXFileSystem().status(ofItemAt: path).size <= limit)
        #expect(try Set(open().store.snapshot().map(\.key)) == acknowledged)
        // Who removes makes room.
        try processes[0].save(["key 0": nil, "key 1": nil])
        try processes[0].save(["key 0": "again"])
    }

    @Test(arguments: [FileStoreOptions.Durability.grouped, .everyBatch])
    func `a file is saved although an old journal cannot be emptied`(durability: FileStoreOptions.Durability) throws {
        let gone = try open()
        try gone.save(["old": 1])
        let fileSystem = FaultyFileSystem()
        let options = FileStoreOptions(durability: durability, journal: .none)
        let process = try open(options, fileSystem)
        fileSystem.inject(.refusal(.ftruncate, errno: EIO))
        try process.save(["key": 2])
        fileSystem.inject(.none)
        #expect(process.store.snapshot() == ["old": 1, "key": 2])
        #expect(try folder.table() == ["old": 1, "key": 2])
        try process.save(["third": 3])
        let whole: PropertyListTable = ["old": 1, "key": 2, "third": 3]
        #expect(try folder.table() == whole)
        #expect(try open().store.snapshot() == whole)
        withExtendedLifetime(gone) {}
    }
}
