import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import Testing

@Suite struct JournalCreationTests {
    private let folder = TemporaryFolder.forTest
    private static let journal = ".file.json.journal"

    init() throws {
        try folder.write(fileBytes("old"), to: "file.json", permissions: 0o660)
    }

    private func open(_ fileSystem: any FileSystem) throws -> ProcessDouble {
        try ProcessDouble(path: folder.path("file.json"), fileSystem: fileSystem)
    }

    private var status: FileStatus? { try? POSIXFileSystem().status(ofItemAt: folder.path(Self.journal)) }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `a new journal belongs to those who may write the file at whichever call its maker is killed`() throws {
        for call in 1... {
            #expect(chown(folder.path("file.json"), 1234, 2345) == 0)
            let fileSystem = FaultyFileSystem()
            let killed = try open(fileSystem)
            fileSystem.inject(.crash(call: call))
            try? killed.save(["key": 1])
            if let status {
                let calls = fileSystem.calls.prefix(call).map(\.description)
                try #require(status.owner == 1234 && status.group == 2345, "\(status) after \(calls)")
                #expect(status.permissions == 0o660)
            }
            let wasKilled = fileSystem.calls.count >= call
            fileSystem.inject(.crash(call: 1))
            // Even if its temporary name is left.
            do {
                let next = try open(POSIXFileSystem())
                try next.save(["key": 2])
                #expect(status?.links == 1)
                #expect(try open(POSIXFileSystem())["key"] == 2)
            }
            if !wasKilled { return }
            try folder.remove(Self.journal)
            try folder.write(fileBytes("old"), to: "file.json", permissions: 0o660)
        }
    }

    @Test(arguments: [FileStoreOptions(), .oneFile])
    func `a journal that another process removes as soon as it is made is made again`(options: FileStoreOptions) throws
    {
        func save(_ fault: FaultyFileSystem.Fault) throws -> [String] {
            try? folder.remove(Self.journal)
            try folder.write(fileBytes("old"), to: "file.json", permissions: 0o660)
            let fileSystem = FaultyFileSystem()
            let path = folder.path("file.json")
            let process = try ProcessDouble(path: path, options: options, fileSystem: fileSystem)
            fileSystem.inject(fault)
            try process.save(["key": 1])
            return fileSystem.calls.map(\.description)
        }
        let calls = try save(.none)
        let openings = calls.indices.filter { calls[$0] == "open \(Self.journal)" }
        // The first one finds none.
        try #require(openings.count >= 2)
        _ = try save(.failure(call: openings[1] + 1, errno: ENOENT))
        #expect(try open(POSIXFileSystem())["key"] == 1)
    }

    @Test func `a new journal does not replace one that another process makes at the same time`() throws {
        let fileSystem = FaultyFileSystem()
        let process = try open(fileSystem)
        let other = try open(POSIXFileSystem())
        fileSystem.inject(.failureOfNext("link .file.json.journal", errno: EEXIST))
        try process.save(["key": 1])
        try other.save(["other": 2])
        process.look()
        #expect(process.store.snapshot()["other"] == 2)
        #expect(try folder.names == [Self.journal, "file.json"])
    }

    @Test(arguments: [EPERM, ENOTSUP, ENOSYS])
    func `a new journal is made at once where there are no hard links`(errno: Int32) throws {
        let fileSystem = FaultyFileSystem()
        let process = try open(fileSystem)
        fileSystem.inject(.refusal(.link, errno: errno))
        try process.save(["key": 1])
        #expect(status?.permissions == 0o660)
        #expect(try folder.names == [Self.journal, "file.json"])
    }

    @Test func `a store without a journal reports that it cannot make its lock`() throws {
        let fileSystem = FaultyFileSystem()
        let process = try ProcessDouble(path: folder.path("file.json"), options: .oneFile, fileSystem: fileSystem)
        try process.set(["key": 1])
        fileSystem.inject(.refusal(.fchmod, errno: EIO))
        let error = #expect(throws: StoreError.self) { try process.store.synchronize() }
        let cause = try #require(error?.underlying as? FileStoreError)
        #expect(cause.step == .lock)
    }

    @Test func `a new journal is named by the error if it cannot be opened`() throws {
        let reopened = FaultyFileSystem()
        let second = try open(reopened)
        try second.set(["key": 4])
        try folder.write([], to: Self.journal)
        reopened.inject(.failureOfNext("open .file.json.journal", errno: EACCES))
        let error = #expect(throws: StoreError.self) { try second.store.synchronize() }
        let cause = try #require(error?.underlying as? FileStoreError)
        #expect(cause.step == .openJournal)
        #expect(cause.remedy.contains(Self.journal))
    }
}
