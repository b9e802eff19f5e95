import KeyspanCore
import KeyspanFileStore
import Testing

/// Each system call of a save fails once, in every way that disks and limits let calls fail.
@Suite("A save in which a system call fails")
struct SaveFaultTests {
    private let folder: TemporaryFolder
    private let fileSystem = FaultyFileSystem()
    private let store: JSONFileStore

    /// A store on a link to a file whose permissions have to be kept, so that a save makes every kind of call.
    init() throws {
        folder = try TemporaryFolder()
        try folder.write(fileBytes("old"), to: "file.json", permissions: 0o640)
        try folder.link("link.json", to: "file.json")
        store = try JSONFileStore(
            path: folder.path("link.json"),
            options: .oneFile,
            fileSystem: fileSystem,
            timer: ManualSaveTimer(),
            report: { _ in }
        )
        try store.set("new")
    }

    @Test("makes its calls in this order when none fails")
    func callsWithoutFault() throws {
        fileSystem.inject(.none)
        try store.synchronize()
        #expect(
            fileSystem.calls.map(\.description) == [
                "lstat link.json", "readlink link.json", "lstat file.json", "open \(folderName)", "open temporary",
                "fstat temporary", "fchmod temporary", "write temporary", "fsync temporary", "close temporary",
                "rename file.json", "fsync \(folderName)", "close \(folderName)",
            ]
        )
        #expect(fileSystem.calls.count == Self.callsOfSave)
    }

    @Test("leaves a whole file and no other, throws the error, and the next one succeeds", arguments: calls, errors)
    func failure(call: Int, errno: Int32) throws {
        fileSystem.inject(.failure(call: call, errno: errno))
        let thrown = #expect(throws: StoreError.self) { try store.synchronize() }
        let error = try #require(thrown?.underlying as? FileStoreError)
        #expect(thrown?.code == .notDurable)
        #expect(error.errorNumber == errno)
        #expect(error.path == store.name)
        let failed = try #require(fileSystem.calls.dropFirst(call - 1).first?.call)
        #expect((error.underlying as? SystemCallError)?.call == failed.rawValue)
        // Only the flush of the folder comes after the rename.
        #expect(try folder.bytes(of: "file.json") == fileBytes(error.step == .flushFolder ? "new" : "old"))
        #expect(try folder.names == ["file.json", "link.json"])
        #expect(store.value(forKey: "key") == "new")

        fileSystem.inject(.none)
        try store.synchronize()
        #expect(fileSystem.calls.contains { $0.call == .rename })
        #expect(try folder.bytes(of: "file.json") == fileBytes("new"))
        #expect(try folder.names == ["file.json", "link.json"])
    }

    @Test("repeats a call that a signal interrupted", arguments: 1...callsOfSave)
    func interruption(call: Int) throws {
        fileSystem.inject(.failure(call: call, errno: EINTR))
        try store.synchronize()
        #expect(fileSystem.calls.count >= Self.callsOfSave)
        #expect(try folder.bytes(of: "file.json") == fileBytes("new"))
        #expect(try folder.names == ["file.json", "link.json"])
    }

    @Test("goes on after short writes", arguments: [1, 7])
    func shortWrites(count: Int) throws {
        fileSystem.inject(.shortWrites(count: count))
        try store.synchronize()
        #expect(fileSystem.calls.filter { $0.call == .write }.count > 1)
        #expect(try folder.bytes(of: "file.json") == fileBytes("new"))
    }

    @Test("fails if a write takes nothing and gives no reason")
    func writesOfNothing() throws {
        fileSystem.inject(.shortWrites(count: 0))
        #expect(throws: StoreError.self) { try store.synchronize() }
        #expect(try folder.bytes(of: "file.json") == fileBytes("old"))
    }

    @Test("leaves a whole file if the process ends there", arguments: calls)
    func crash(call: Int) throws {
        fileSystem.inject(.crash(call: call))
        #expect(throws: StoreError.self) { try store.synchronize() }
        let bytes = try folder.bytes(of: "file.json")
        #expect(bytes == fileBytes("old") || bytes == fileBytes("new"))
        #expect(try JSONFileStore(path: folder.path("link.json")).snapshot().count == 1)
    }

    @Test("takes another name if the temporary one is in use")
    func temporaryNameInUse() throws {
        fileSystem.inject(.failure(call: 5, errno: EEXIST))
        try store.synchronize()
        let names = fileSystem.calls.filter { $0.description == "open temporary" }.map(\.path)
        #expect(names.count == 2)
        #expect(Set(names).count == 2)
    }

    @Test("gives up if every temporary name is in use")
    func temporaryNamesInUse() throws {
        fileSystem.inject(.refusal(.open, errno: EEXIST))
        #expect(throws: StoreError.self) { try store.synchronize() }
    }

    @Test("trusts a file system that cannot flush folders", arguments: [EINVAL, ENOTSUP])
    func folderThatCannotBeFlushed(errno: Int32) throws {
        fileSystem.inject(.failure(call: 12, errno: errno))
        try store.synchronize()
        #expect(try folder.bytes(of: "file.json") == fileBytes("new"))
    }

    @Test("flushes the names of folders that it makes, whichever call fails", arguments: 1...17, [EIO, ENOSPC])
    func failureWhileMakingFolders(call: Int, errno: Int32) throws {
        let store = try JSONFileStore(
            path: folder.path("a/b/c.json"),
            options: .oneFile,
            fileSystem: fileSystem,
            timer: ManualSaveTimer(),
            report: { _ in }
        )
        try store.set("new")
        fileSystem.inject(.failure(call: call, errno: errno))
        var calls: [FaultyFileSystem.Call] = []
        do {
            try store.synchronize()
            calls = fileSystem.calls
            // Only the close of a folder may fail unnoticed: it has nothing to lose.
            #expect(calls[call - 1].call == .close)
        } catch {
            #expect((error.underlying as? FileStoreError)?.errorNumber == errno)
            calls = fileSystem.calls
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
    }

    private static let callsOfSave = 13
    /// All but the last call, the close of the folder, which has nothing to lose.
    private static let calls = 1...callsOfSave - 1
    private static let errors = [ENOSPC, EIO, EROFS, EACCES, EMFILE]

    private var folderName: String { folder.path.split(separator: "/").last.map(String.init) ?? "" }
}
