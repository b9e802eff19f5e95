import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// People and programs that do not know of the journal replace the file.
@Suite struct EditedFileTests {
    private let folder = TemporaryFolder.forTest

    private func open(_ options: FileStoreOptions = FileStoreOptions()) throws -> ProcessDouble {
        try ProcessDouble(path: folder.path("file.json"), options: options)
    }

    /// Replaces the file as editors do.
    private func edit(_ table: PropertyListTable) throws {
        try folder.edit(table)
    }

    /// The values that present and later readers must see.
    private func expect(
        _ table: PropertyListTable,
        in processes: [ProcessDouble],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let late = try open()
        #expect(late.store.snapshot() == table, "before the others look", sourceLocation: sourceLocation)
        for process in processes {
            process.look()
            #expect(process.store.snapshot() == table, sourceLocation: sourceLocation)
        }
        #expect(try open().store.snapshot() == table, "after the others looked", sourceLocation: sourceLocation)
        processes.first?.passTime()
        for process in processes {
            process.look()
            #expect(process.store.snapshot() == table, "after folding", sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: [FileStoreOptions(), .oneFile])
    func `an edited file brings the edit in, and keeps what was written since`(
        options: FileStoreOptions
    ) throws {
        try edit(["edited": 1, "kept": 1])
        let processes = [try open(options), try open(options)]
        try processes[0].set(["kept": 2])
        try edit(["edited": 2, "kept": 1])
        try processes[0].store.synchronize()
        try expect(["edited": 2, "kept": 2], in: processes)
    }

    @Test func `an edited file brings in an edit of a version that has a journal`() throws {
        try edit(["edited": 1, "journalled": 1])
        let processes = [try open(), try open()]
        try processes[0].save(["journalled": 2, "new": 3])
        try edit(["edited": 2, "journalled": 1])
        try expect(["edited": 2, "journalled": 2, "new": 3], in: processes)
    }

    @Test func `an edited file takes a later edit of a key for later`() throws {
        try edit(["key": 1, "other": 1])
        let processes = [try open(), try open()]
        try processes[0].save(["key": 2, "other": 2])
        try edit(["key": 3, "other": 1])
        try expect(["key": 3, "other": 2], in: processes)
        try processes[1].save(["key": 4])
        try expect(["key": 4, "other": 2], in: processes)
    }

    @Test func `an edited file takes an edit for later that was made while no process ran`() throws {
        try edit(["key": 1, "other": 1])
        let gone = try open()
        try gone.save(["key": 2, "other": 2, "new": 2])
        try edit(["key": 3, "other": 1])
        try expect(["key": 3, "other": 2, "new": 2], in: [try open(), try open()])
        withExtendedLifetime(gone) {}
    }

    @Test func `an edited file does not let an edit of an older version undo what it did not touch`() throws {
        try edit(["counter": 1, "edited": 1])
        let processes = [try open(), try open()]
        try processes[0].save(["counter": 2])
        processes[0].passTime()
        processes[1].look()
        // The editor had read the file before it was folded.
        try edit(["counter": 1, "edited": 2])
        processes[0].look()
        processes[1].look()
        try expect(["counter": 2, "edited": 2], in: processes)
    }

    @Test(arguments: [FileStoreOptions(), .oneFile])
    func `an edited file lets someone bring an older version back`(options: FileStoreOptions) throws {
        try edit(["key": 1])
        let processes = [try open(options), try open(options)]
        try processes[0].save(["key": 2])
        processes[0].passTime()
        processes[1].look()
        try edit(["key": 1])
        try expect(["key": 1], in: processes)
    }

    @Test(arguments: [FileStoreOptions(), .oneFile])
    func `an edited file keeps what it had while there is no file, and writes it again`(
        options: FileStoreOptions
    ) throws {
        try edit(["key": 1])
        let process = try open(options)
        try folder.remove("file.json")
        process.look()
        #expect(process["key"] == 1)
        try process.save(["other": 2])
        process.passTime()
        #expect(try folder.table() == ["key": 1, "other": 2])
    }

    @Test(arguments: ["", "{", "{\"key\": 2", "not JSON"])
    func `an edited file waits for a file that is half written`(text: String) throws {
        try edit(["key": 1])
        let process = try open()
        try folder.write(Array(text.utf8), to: "file.json")
        process.look()
        #expect(process["key"] == 1)
        #expect(process.notices.isEmpty)
        try process.save(["other": 2])
        process.passTime()
        #expect(try folder.bytes(of: "file.json") == Array(text.utf8), "it is never overwritten")
        try folder.write(["key": 3])
        process.look()
        #expect(process.store.snapshot() == ["key": 3, "other": 2])
        #expect(process.notices.isEmpty)
        #expect(process.failures.isEmpty)
    }

    @Test(arguments: [FileStoreOptions.Durability.grouped, .everyBatch])
    func `an edited file is not overwritten by a store without a journal while it is half written`(
        durability: FileStoreOptions.Durability
    ) throws {
        try edit(["key": 1])
        let process = try open(FileStoreOptions(durability: durability, journal: .none))
        let text = Array("{\"key\": 2".utf8)
        try folder.write(text, to: "file.json")
        #expect(throws: StoreError.self) { try process.save(["other": 2]) }
        #expect(try folder.bytes(of: "file.json") == text)
        try edit(["key": 3])
        try process.save(["other": 2])
        #expect(try open().store.snapshot() == ["key": 3, "other": 2])
    }

    @Test func `an edited file says once that a file stays half written`() throws {
        try edit(["key": 1])
        let process = try open()
        try folder.write(Array("{".utf8), to: "file.json")
        process.look()
        for _ in 1...12 { process.passTime() }
        #expect(process.notices == [.unreadable])
        #expect(process["key"] == 1)
    }

    @Test func `an edited file is not rewritten when nothing else changed`() throws {
        let process = try open()
        try process.save(["key": 1])
        process.passTime()
        let text = Array("{ \"key\" : 2 }".utf8)
        try folder.write(text, to: "file.json")
        process.look()
        process.passTime()
        #expect(process["key"] == 2)
        #expect(try folder.bytes(of: "file.json") == text)
    }

    @Test(arguments: [false, true])
    func `an edited file loses nothing to someone who removes or cuts the journal`(isRemoved: Bool) throws {
        try edit(["key": 1])
        let process = try open()
        try process.save(["key": 2, "other": 2])
        if isRemoved {
            try folder.remove(".file.json.journal")
        } else {
            #expect(truncate(folder.path(".file.json.journal"), 100) == 0)
        }
        process.look()
        #expect(process.store.snapshot() == ["key": 2, "other": 2])
        try process.save(["last": 3])
        #expect(try open().store.snapshot() == ["key": 2, "other": 2, "last": 3])
    }
}

/// Someone who takes no lock replaces the file by a version that was made of one that has been folded away since.
@Suite struct StaleEditTests {
    private let folder = TemporaryFolder.forTest
    private let stale: PropertyListTable = ["number": 1, "edited": true]

    private func file() throws -> SharedFile {
        var file = try SharedFile(
            path: folder.path("file.json"),
            codec: JSONFileCodec(),
            options: FileStoreOptions(),
            fileSystem: POSIXFileSystem()
        )
        _ = try file.open()
        return file
    }

    @Test func `a stale edit leaves what was saved since, to the process that has saved it`() throws {
        var first = try file()
        try first.save(1, forKey: "number")
        try first.save(2, forKey: "number")
        try folder.write(JSONText.encode(stale), to: "file.json")
        try first.save(1, forKey: "other")
        #expect(first.table == ["number": 2, "edited": true, "other": 1])
    }

    @Test func `a stale edit leaves what was saved since, although a process writes next that has not seen it`() throws
    {
        var first = try file()
        try first.save(1, forKey: "number")
        var second = try file()
        try first.save(2, forKey: "number")
        try folder.write(JSONText.encode(stale), to: "file.json")
        try second.save(1, forKey: "other")
        try first.save(1, forKey: "another")
        #expect(first.table == ["number": 2, "edited": true, "other": 1, "another": 1])
    }
}

extension SharedFile {
    /// Writes a value durably and folds it into the file.
    fileprivate mutating func save(_ value: PropertyListValue, forKey key: String) throws {
        try lock(.exclusive)
        defer { unlock() }
        _ = try catchUp(tolerantly: false)
        var delta = TableDelta()
        delta.write(value, forKey: key)
        try write(delta)
        try checkpoint()
    }
}
