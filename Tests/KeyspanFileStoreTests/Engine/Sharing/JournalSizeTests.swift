import KeyspanCore
import KeyspanFileStore
import Testing

@Suite
struct JournalSizeTests {
    private let folder: TemporaryFolder
    private static let journal = ".file.json.journal"

    init() throws {
        folder = try TemporaryFolder()
    }

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
    func `the journal of several processes is limited in size before it is read, when it is opened and afterwards`(
        size: Int
    ) throws {
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

    @Test
    func `the journal of several processes stays below what is read, although the background makes no checkpoint`()
        throws
    {
        let limit = 3 << 20
        let process = try open(limit: limit, .unhurried)
        let value = PropertyListValue.string(String(repeating: "x", count: 700_000))
        for number in 1...12 {
            try process.save(["key": value, "number": .integer(PropertyListInteger(number))])
            #expect(try journalSize <= limit)
        }
        let next = try open(limit: limit)
        #expect(next["number"] == 12)
        #expect(next["key"] == value)
        #expect(process.failures.isEmpty)
    }

    @Test(arguments: StoreFormat.allCases)
    func `the journal of several processes holds for all processes together`(format: StoreFormat) throws {
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
    func `a file without a journal is saved even if an old journal cannot be emptied`(
        durability: FileStoreOptions.Durability
    ) throws {
        let gone = try open()
        try gone.save(["old": 1])
        let fileSystem = FaultyFileSystem()
        let process = try open(FileStoreOptions(durability: durability, journal: .none), fileSystem)
        fileSystem.inject(.refusal(.ftruncate, errno: EIO))
        try process.save(["key": 2])
        fileSystem.inject(.none)
        #expect(process.store.snapshot() == ["old": 1, "key": 2])
        #expect(try JSONFileCodec().decode(folder.bytes(of: "file.json")) == ["old": 1, "key": 2])
        try process.save(["third": 3])
        let whole: PropertyListTable = ["old": 1, "key": 2, "third": 3]
        #expect(try JSONFileCodec().decode(folder.bytes(of: "file.json")) == whole)
        #expect(try open().store.snapshot() == whole)
        withExtendedLifetime(gone) {}
    }

    private func open(_ options: FileStoreOptions, _ fileSystem: any FileSystem) throws -> ProcessDouble {
        try open(limit: 4000, options, fileSystem)
    }
}
