import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// Each system call of a save fails once, in every way that disks and limits let calls fail, on the real file system.
@Suite(.heavy) struct SaveFaultTests {
    private let folder = TemporaryFolder.forTest
    private let fileSystem = FaultyFileSystem()

    @Test func `a save without a journal makes its calls in this order when none fails`() throws {
        let store = try open(.oneFile)
        try store.synchronize()
        let journal = ".file.json.journal"
        #expect(
            changes == [
                "link \(journal)", "unlink temporary", "flock \(journal)", "fchmod temporary", "write temporary",
                "fsync temporary", "rename file.json", "fsync \(folderName)", "unlink \(journal)",
            ]
        )
    }

    @Test func `a save with a journal flushes one append, and nothing else once there is a journal`() throws {
        let store = try open(FileStoreOptions())
        try store.synchronize()
        try store.set("newer")
        fileSystem.inject(.none)
        try store.synchronize()
        #expect(
            changes == [
                "flock .file.json.journal", "pwrite .file.json.journal", "fdatasync .file.json.journal",
                "flock .file.json.journal",
            ]
        )
    }

    @Test(arguments: [FileStoreOptions.oneFile, FileStoreOptions()], [ENOSPC, EIO, EROFS, EACCES, EMFILE])
    func `a failed save leaves a whole file, and the next one succeeds`(
        options: FileStoreOptions,
        errno: Int32
    ) throws {
        for call in 1... {
            let store = try open(options)
            fileSystem.inject(.failure(call: call, errno: errno))
            let thrown = storeError { () throws(StoreError) in try store.synchronize() }
            if fileSystem.calls.count < call { return try #require(thrown == nil) }
            let failed = fileSystem.calls[call - 1]
            if let thrown {
                let error = try #require(thrown.underlying as? FileStoreError)
                #expect(thrown.code == .notDurable)
                #expect(error.errorNumber == errno, "\(failed)")
                #expect(error.path == store.name)
                #expect((error.underlying as? SystemCallError)?.call == failed.call.rawValue)
            }
            let bytes = try folder.bytes(of: "file.json")
            #expect(bytes == fileBytes("old") || bytes == fileBytes("new"), "\(failed)")
            #expect(store.value(forKey: "key") == "new")

            fileSystem.inject(.none)
            try store.synchronize()
            #expect(try folder.names.filter { $0.hasSuffix(".tmp") } == [], "\(failed)")
            #expect(try reopened().value(forKey: "key") == "new", "\(failed)")
        }
    }

    @Test(arguments: [.oneFile, FileStoreOptions()])
    func `a save fails if a write takes nothing and gives no reason`(options: FileStoreOptions) throws {
        let store = try open(options)
        fileSystem.inject(.shortWrites(count: 0))
        #expect(throws: StoreError.self) { try store.synchronize() }
        #expect(try folder.bytes(of: "file.json") == fileBytes("old"))
    }

    @Test func `a save says what to do about a file that is mounted by itself, as containers may have it`() throws {
        let store = try open(.oneFile)
        fileSystem.inject(.failureOfNext("rename file.json", errno: EBUSY))
        let error = try #require(throws: StoreError.self) { try store.synchronize() }
        #expect("\(error)".contains("mount the folder of the file, and not the file alone"))
        #expect(try folder.bytes(of: "file.json") == fileBytes("old"))
    }

    @Test func `a save takes another name if the temporary one is in use`() throws {
        let store = try open(.oneFile)
        fileSystem.inject(.failureOfNext("open temporary", errno: EEXIST))
        try store.synchronize()
        let names = fileSystem.calls.filter { $0.description == "open temporary" }.map(\.path)
        // Two for the journal, one for the file.
        #expect(names.count == 3)
        #expect(Set(names).count == 3)
    }

    @Test func `a save gives up if every temporary name is in use`() throws {
        let store = try open(.oneFile)
        fileSystem.inject(.refusal(.open, errno: EEXIST))
        #expect(throws: StoreError.self) { try store.synchronize() }
    }

    @Test(arguments: [EINVAL, ENOTSUP])
    func `a save trusts a file system that cannot flush folders`(errno: Int32) throws {
        let store = try open(.oneFile)
        fileSystem.inject(.failureOfNext("fsync \(folderName)", errno: errno))
        try store.synchronize()
        #expect(try folder.bytes(of: "file.json") == fileBytes("new"))
    }

    @Test(arguments: [ENOLCK, ENOTSUP])
    func `a save goes on without locks where the file system has none, and says so once`(errno: Int32) throws {
        let notices = Recorder<FileStoreNotice.Kind>()
        let store = try open(FileStoreOptions()) { if case .notice(let notice) = $0 { notices.record(notice.kind) } }
        fileSystem.inject(.refusal(.flock, errno: errno))
        try store.synchronize()
        try store.set("newer")
        try store.synchronize()
        #expect(notices.values == [.withoutLocks])
        #expect(try reopened().value(forKey: "key") == "newer")
    }

    @Test(arguments: [EIO, ENOSPC])
    func `a save flushes the names of folders that it makes, whichever call fails`(errno: Int32) throws {
        for call in 1... {
            let folder = try TemporaryFolder()
            let seams = FileStoreSeams.manual(fileSystem)
            let store = try JSONFileStore(path: folder.path("a/b/c.json"), options: .oneFile, seams: seams)
            try store.set("new")
            fileSystem.inject(.failure(call: call, errno: errno))
            let error = storeError { () throws(StoreError) in try store.synchronize() }
            var calls = fileSystem.calls
            if let error {
                #expect((error.underlying as? FileStoreError)?.errorNumber == errno)
                // What failed was not done.
                calls.remove(at: call - 1)
                fileSystem.inject(.none)
                try store.synchronize()
                calls += fileSystem.calls
            }
            #expect(try folder.bytes(of: "a/b/c.json") == fileBytes("new"))
            let made = calls.lastIndex { $0.call == .mkdir && $0.path == folder.path("a") }
            #expect(calls[try #require(made)...].contains { $0.call == .fsync && $0.path == folder.path })
            let madeBelow = calls.lastIndex { $0.call == .mkdir && $0.path == folder.path("a/b") }
            #expect(calls[try #require(madeBelow)...].contains { $0.call == .fsync && $0.path == folder.path("a") })
            if calls.count < call { return }
        }
    }

    /// The calls that change something or take a lock; others depend on how long ago the file was made.
    private var changes: [String] {
        let calls: [SystemCall] = [
            .write, .pwrite, .ftruncate, .fsync, .fdatasync, .rename, .link, .unlink, .flock, .fchmod,
        ]
        return fileSystem.calls.filter { calls.contains($0.call) }.map(\.description)
    }

    private var folderName: String { folder.path.split(separator: "/").last.map(String.init) ?? "" }

    /// A store on a link to a file whose permissions have to be kept, so that a save makes every kind of call, with a
    /// value that is not saved.
    private func open(
        _ options: FileStoreOptions,
        report: @escaping @Sendable (FileReport) -> Void = { _ in }
    ) throws -> JSONFileStore {
        fileSystem.inject(.none)
        for name in try folder.names { try folder.remove(name) }
        try folder.write(fileBytes("old"), to: "file.json", permissions: 0o640)
        try folder.link("link.json", to: "file.json")
        let seams = FileStoreSeams.manual(fileSystem, report: report)
        let store = try JSONFileStore(path: folder.path("link.json"), options: options, seams: seams)
        try store.set("new")
        fileSystem.inject(.none)
        return store
    }

    /// A store as another process would open it.
    private func reopened() throws -> JSONFileStore {
        try JSONFileStore(path: folder.path("link.json"), seams: .manual())
    }
}
