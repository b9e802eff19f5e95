import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// The moment when writes without a flush, and writes of other processes, are flushed.
@Suite struct FlushTests {
    private static let path = "/data/file.json"
    private static let everyBatch = FileStoreOptions(durability: .everyBatch)

    private let disk = SimulatedDisk(.init(reordersNames: true))

    init() throws {
        try disk.makeFolders("/data")
    }

    private func open(_ fileSystem: any FileSystem) throws -> SharedFile {
        var file = try SharedFile(path: Self.path, codec: JSONFileCodec(), options: .init(), fileSystem: fileSystem)
        _ = try file.open()
        return file
    }

    /// Opens a file with a record that is flushed and three that are not.
    private func openWithUnflushedRecords(_ fileSystem: any FileSystem) throws -> SharedFile {
        var file = try open(fileSystem)
        try file.write(0, forKey: "z", flushing: true)
        for number in 1...3 { try file.write(number, forKey: "\(number)", flushing: false) }
        return file
    }

    @Test func `flushes make records durable that were appended without one, and others see them before`() throws {
        var (first, second) = (try open(disk.startProcess()), try open(disk.startProcess()))
        for number in 1...3 {
            try first.write(number, forKey: "a", flushing: false)
            try second.catchUp()
            #expect(second.table == first.table)
        }
        #expect(!first.isFlushed)
        #expect(!second.isFlushed)
        try first.lock(.shared)
        try first.flush()
        first.unlock()
        #expect(first.isFlushed)
        #expect(!disk.hasUnflushedChanges)
    }

    @Test func `flushes that failed are made up for, with all records that they may have lost`() throws {
        var file = try openWithUnflushedRecords(disk)
        // A crash before leaves the first ones.
        for found in disk.crashes() {
            let table = try open(found).table
            #expect(table["z"] == 0)
            for number in 2...3 where table["\(number)"] != nil { #expect(table["\(number - 1)"] != nil) }
        }
        disk.failFlush(number: 1)
        #expect(throws: FileStoreError.self) { try file.flush() }
        #expect(!file.isFlushed)
        try file.flush()
        for found in disk.crashes() { #expect(try open(found).table == ["z": 0, "1": 1, "2": 2, "3": 3]) }
    }

    /// The system reports the failure only to those that have the journal open.
    @Test(arguments: [false, true])
    func `flushes that failed are made up for before another process opens`(isWriting: Bool) throws {
        var file = try openWithUnflushedRecords(disk.startProcess())
        disk.failFlush(number: 1)
        #expect(throws: FileStoreError.self) {
            if isWriting { try file.write(4, forKey: "4", flushing: true) } else { try file.flush() }
        }
        var other = try open(disk.startProcess())
        try other.lock(.shared)
        try other.flush()
        other.unlock()
        #expect(other.isFlushed)
        for found in disk.crashes() { #expect(try open(found).table == other.table) }
        #expect(other.table == ["z": 0, "1": 1, "2": 2, "3": 3])
    }

    @Test func `flushes that failed take nothing away if making up for them fails as well`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("file.json")
        let (journal, fileSystem) = (folder.path(".file.json.journal"), FaultyFileSystem())
        try folder.write(["z": 0])
        let other = try ProcessDouble(path: path, options: .unhurried)
        for number in 1...3 { try other.save(["\(number)": .init(number)]) }
        let bytes = try folder.bytes(of: ".file.json.journal")
        let process = try ProcessDouble(path: path, options: .unhurried, fileSystem: fileSystem)
        for fault in [FaultyFileSystem.Fault.refusal(.fdatasync, errno: EIO), .refusal(.pwrite, errno: EIO)] {
            fileSystem.inject(fault)
            #expect(throws: StoreError.self) { try process.store.synchronize() }
            #expect(try folder.bytes(of: ".file.json.journal") == bytes, "\(journal)")
        }
        // The system has given a part of the bytes up: they are not taken for flushed, but written anew.
        let lost = WrittenJournal.withoutReserve(bytes).dropLast(5)
        try folder.write(lost + [0, 0, 0, 0, 0], to: ".file.json.journal")
        fileSystem.inject(.none)
        try process.store.synchronize()
        #expect(
            try ProcessDouble(path: path, options: .unhurried).store.snapshot() == ["z": 0, "1": 1, "2": 2, "3": 3]
        )
    }

    @Test func `flushes of a journal that another process emptied come before the header`() throws {
        let folder = try TemporaryFolder()
        let fileSystem = FaultyFileSystem()
        try folder.write(["z": 0])
        // That process may have ended before its flush, and then the old records come back behind the header.
        try folder.write([], to: ".file.json.journal")
        let process = try ProcessDouble(path: folder.path("file.json"), options: .unhurried, fileSystem: fileSystem)
        fileSystem.inject(.none)
        try process.save(["z": 1])
        let calls = fileSystem.calls.map(\.description).filter {
            ["pwrite", "fdatasync"].contains($0.prefix { $0 != " " })
        }
        #expect(calls.prefix(2) == ["fdatasync .file.json.journal", "pwrite .file.json.journal"])
    }

    @Test func `flushes that failed for the file lead to a new version of it`() throws {
        let folder = try TemporaryFolder()
        let fileSystem = FaultyFileSystem()
        let process = try ProcessDouble(path: folder.path("file.json"), options: .unhurried, fileSystem: fileSystem)
        try process.save(["z": 0])
        try folder.write(["z": 1])
        process.look()
        fileSystem.inject(.failureOfNext("fsync file.json", errno: EIO))
        #expect(throws: StoreError.self) { try process.store.synchronize() }
        fileSystem.inject(.none)
        try process.store.synchronize()
        #expect(fileSystem.calls.contains { $0.description == "rename file.json" })
        #expect(process["z"] == 1)
    }

    @Test func `flushes that failed with a record are made up for by the next record`() throws {
        var file = try open(disk)
        try file.write(0, forKey: "z", flushing: true)
        try file.write(1, forKey: "a", flushing: false)
        disk.failFlush(number: 1)
        #expect(throws: FileStoreError.self) { try file.write(2, forKey: "b", flushing: true) }
        try file.write(3, forKey: "c", flushing: true)
        for found in disk.crashes() { #expect(try open(found).table == ["z": 0, "a": 1, "c": 3]) }
    }

    @Test func `flushes are one for each batch of processes that write in turn`() throws {
        let fileSystems = [FaultyFileSystem(disk.startProcess()), FaultyFileSystem(disk.startProcess())]
        let processes = try fileSystems.map {
            try ProcessDouble(path: Self.path, options: Self.everyBatch, fileSystem: $0)
        }
        for number in 1...6 {
            for (index, process) in processes.enumerated() {
                fileSystems[index].inject(.none)
                try process.set(["key \(index)": .init(number)])
                guard number > 1 else { continue }
                let flushes = fileSystems[index].calls.filter { $0.call == .fdatasync || $0.call == .fsync }
                #expect(flushes.map(\.description) == ["fdatasync .file.json.journal"])
            }
        }
    }

    @Test(arguments: FileStoreOptions.modes)
    func `flushes of what others wrote are no more than one each`(options: FileStoreOptions) throws {
        let fileSystem = FaultyFileSystem(disk.startProcess())
        let writer = try ProcessDouble(path: Self.path, options: options, fileSystem: disk.startProcess())
        try writer.save(["key": 1])
        let other = try ProcessDouble(path: Self.path, options: options, fileSystem: fileSystem)
        fileSystem.inject(.none)
        try other.store.synchronize()
        let flushes = fileSystem.calls.filter { $0.call == .fdatasync || $0.call == .fsync }.map(\.description)
        #expect(!flushes.isEmpty)
        #expect(Set(flushes).count == flushes.count)
        fileSystem.inject(.none)
        try other.store.synchronize()
        #expect(fileSystem.calls.isEmpty)
    }
}

extension SharedFile {
    fileprivate mutating func write(_ number: Int, forKey key: String, flushing: Bool) throws {
        try lock(.exclusive)
        defer { unlock() }
        _ = try catchUp(tolerantly: false)
        try write(PendingWrites(PropertyListBatch(.set(.init(number), key: key))), flushing: flushing)
    }

    fileprivate mutating func catchUp() throws {
        try lock(.shared)
        defer { unlock() }
        _ = try catchUp(tolerantly: false)
    }
}
