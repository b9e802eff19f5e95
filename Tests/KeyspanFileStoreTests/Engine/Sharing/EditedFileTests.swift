import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// People and programs that do not know of the journal replace the file.
@Suite struct EditedFileTests {
    /// An action of a person or of the first of two processes.
    enum Step: Sendable {
        case edit(PropertyListTable)
        case set([String: PropertyListValue?])
        case save([String: PropertyListValue?])
        /// Both processes look, and the first one makes a checkpoint.
        case checkpoint
        /// The processes end, and others begin.
        case restart
    }

    /// Steps and the values that all have in the end.
    struct Course: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var modes = [FileStoreOptions()]
        var start: PropertyListTable = ["a": 1, "b": 1]
        let steps: [Step]
        let expected: PropertyListTable
    }

    private let folder = TemporaryFolder.forTest

    private func open(_ options: FileStoreOptions = FileStoreOptions()) throws -> ProcessDouble {
        try ProcessDouble(path: folder.path("file.json"), options: options)
    }

    /// The values that present and later readers must see.
    private func expect(_ table: PropertyListTable, in processes: [ProcessDouble], _ comment: Comment) throws {
        #expect(try open().store.snapshot() == table, "\(comment), before the others look")
        for process in processes {
            process.look()
            #expect(process.store.snapshot() == table, comment)
        }
        #expect(try open().store.snapshot() == table, "\(comment), after the others looked")
        processes.first?.passTime()
        for process in processes {
            process.look()
            #expect(process.store.snapshot() == table, "\(comment), after a checkpoint")
        }
        #expect(try folder.table() == table, comment)
    }

    private static let both = [FileStoreOptions(), .oneFile]

    @Test(arguments: [
        Course(
            testDescription: "an edit comes in, and what was written since stays",
            modes: both,
            steps: [.set(["b": 2]), .edit(["a": 2, "b": 1]), .save([:])],
            expected: ["a": 2, "b": 2]
        ),
        Course(
            testDescription: "an edit of a version that has a journal comes in",
            steps: [.save(["b": 2, "c": 3]), .edit(["a": 2, "b": 1])],
            expected: ["a": 2, "b": 2, "c": 3]
        ),
        Course(
            testDescription: "a later edit of a key is taken for later",
            steps: [.save(["a": 2, "b": 2]), .edit(["a": 3, "b": 1])],
            expected: ["a": 3, "b": 2]
        ),
        Course(
            testDescription: "an edit that was made while no process ran is taken for later",
            steps: [.save(["a": 2, "b": 2, "c": 2]), .edit(["a": 3, "b": 1]), .restart],
            expected: ["a": 3, "b": 2, "c": 2]
        ),
        // The editor had read the file before the checkpoint.
        Course(
            testDescription: "an edit of an older version does not undo what it did not touch",
            steps: [.save(["b": 2]), .checkpoint, .edit(["a": 2, "b": 1])],
            expected: ["a": 2, "b": 2]
        ),
        Course(
            testDescription: "someone brings an older version back",
            modes: both,
            start: ["a": 1],
            steps: [.save(["a": 2]), .checkpoint, .edit(["a": 1])],
            expected: ["a": 1]
        ),
    ])
    func `a file that an editor replaces has both, what was edited and what was saved`(course: Course) throws {
        for options in course.modes {
            for name in try folder.names { try folder.remove(name) }
            try folder.write(course.start)
            var processes = [try open(options), try open(options)]
            var gone: [ProcessDouble] = []
            for step in course.steps {
                switch step {
                case .edit(let table): try folder.edit(table)
                case .set(let values): try processes[0].set(values)
                case .save(let values): try processes[0].save(values)
                case .checkpoint:
                    processes[0].passTime()
                    processes[1].look()
                case .restart:
                    gone = processes
                    processes = [try open(options), try open(options)]
                }
            }
            try expect(course.expected, in: processes, "\(options.testDescription)")
            try processes[1].save(["a": 9])
            try expect(course.expected.merging(["a": 9]), in: processes, "\(options.testDescription), later")
            withExtendedLifetime(gone) {}
        }
    }

    @Test(arguments: both)
    func `an edited file that is removed is written again`(options: FileStoreOptions) throws {
        try folder.edit(["key": 1])
        let process = try open(options)
        try folder.remove("file.json")
        process.look()
        #expect(process["key"] == 1)
        try process.save(["other": 2])
        process.passTime()
        #expect(try folder.table() == ["key": 1, "other": 2])
    }

    @Test(arguments: ["", "{", "{\"key\": 2", "not JSON"])
    func `a file that is half written is waited for, and not overwritten`(text: String) throws {
        try folder.edit(["key": 1])
        let process = try open()
        try folder.write(text, to: "file.json")
        process.look()
        #expect(process["key"] == 1)
        #expect(process.notices.isEmpty)
        try process.save(["other": 2])
        process.passTime()
        #expect(try folder.text(of: "file.json") == text)
        try folder.write(["key": 3])
        process.look()
        #expect(process.store.snapshot() == ["key": 3, "other": 2])
        #expect(process.notices.isEmpty && process.failures.isEmpty)
    }

    @Test(arguments: [FileStoreOptions.Durability.grouped, .everyBatch])
    func `a store without a journal does not overwrite half a file`(durability: FileStoreOptions.Durability) throws {
        try folder.edit(["key": 1])
        let process = try open(FileStoreOptions(durability: durability, journal: .none))
        try folder.write("{\"key\": 2", to: "file.json")
        #expect(throws: StoreError.self) { try process.save(["other": 2]) }
        #expect(try folder.text(of: "file.json") == "{\"key\": 2")
        try folder.edit(["key": 3])
        try process.save(["other": 2])
        #expect(try open().store.snapshot() == ["key": 3, "other": 2])
    }

    @Test func `a file that stays half written is reported once`() throws {
        try folder.edit(["key": 1])
        let process = try open()
        try folder.write("{", to: "file.json")
        process.look()
        for _ in 1...12 { process.passTime() }
        #expect(process.notices == [.unreadable])
        #expect(process["key"] == 1)
    }

    @Test func `an edited file is not rewritten when nothing else changed`() throws {
        let process = try open()
        try process.save(["key": 1])
        process.passTime()
        try folder.write("{ \"key\" : 2 }", to: "file.json")
        process.look()
        process.passTime()
        #expect(process["key"] == 2)
        #expect(try folder.text(of: "file.json") == "{ \"key\" : 2 }")
    }

    @Test(arguments: [false, true])
    func `a store loses nothing to someone who removes or cuts the journal`(isRemoved: Bool) throws {
        try folder.edit(["key": 1])
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

    /// An editor changes the version that it has read before stores with and without a journal saved.
    @Test(
        arguments: [
            ([nil, "saved"], "edited"), (["checkpointed", "saved"], "edited"),
            // A person takes the change of a store without a journal back.
            ([nil, "saved"], nil),
        ] as [([String?], String?)]
    )
    func `a store without a journal saves what no stale edit undoes`(saved: [String?], edited: String?) throws {
        let (journalled, journalless) = (try open(), try open(.oneFile))
        var expected: PropertyListTable = ["edited": 1, "saved": 1, "checkpointed": 1]
        try journalled.save(["edited": 1, "saved": 1, "checkpointed": 1])
        journalled.passTime()
        var read = try folder.table()
        for (process, key) in zip([journalled, journalless], saved) {
            guard let key else { continue }
            try process.save([key: 2])
            process.passTime()
            if edited != nil { expected[key] = 2 }
        }
        if let edited { (read[edited], expected[edited]) = (2, 2) }
        try folder.edit(read)
        for process in [journalled, journalless] { process.look() }
        #expect(journalled.store.snapshot() == expected && journalless.store.snapshot() == expected)
        journalled.passTime()
        #expect(try folder.table() == expected)
    }

    @Test func `a store without a journal makes no journal where nobody has one`() throws {
        try open(.oneFile).save(["saved": 1])
        #expect(try folder.names == ["file.json"])
    }

    /// Someone replaces the file by a version that was made of one that is in a checkpoint by now, before the process saves that
    /// has saved before, or another one.
    @Test(arguments: [false, true])
    func `a stale edit leaves what was saved since`(hasSecondProcess: Bool) throws {
        func open() throws -> SharedFile {
            let path = folder.path("file.json")
            var file = try SharedFile(
                path: path,
                codec: JSONFileCodec(),
                options: .init(),
                fileSystem: POSIXFileSystem()
            )
            _ = try file.open()
            return file
        }
        var first = try open()
        try first.save(1, forKey: "number")
        var second = hasSecondProcess ? try open() : nil
        try first.save(2, forKey: "number")
        try folder.write(["number": 1, "edited": true])
        try second?.save(1, forKey: "other")
        try first.save(1, forKey: "another")
        var expected: PropertyListTable = ["number": 2, "edited": true, "another": 1]
        if hasSecondProcess { expected["other"] = 1 }
        #expect(first.table == expected)
    }
}

extension SharedFile {
    /// Writes a value durably and makes a checkpoint.
    fileprivate mutating func save(_ value: PropertyListValue, forKey key: String) throws {
        try lock(.exclusive)
        defer { unlock() }
        _ = try catchUp(tolerantly: false)
        try write(PendingWrites(PropertyListBatch(.set(value, key: key))))
        try checkpoint()
    }
}

extension PropertyListTable {
    /// The table with other values for some keys.
    func merging(_ other: PropertyListTable) -> PropertyListTable {
        var result = self
        for (key, value) in other { result[key] = value }
        return result
    }
}
