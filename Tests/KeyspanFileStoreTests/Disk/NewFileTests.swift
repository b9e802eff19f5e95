import Foundation
import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// The owners and permissions of files and folders that stores create, and the errors of a store that lacks them.
@Suite struct NewFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func status(_ name: String) throws -> FileStatus {
        try POSIXFileSystem().status(ofItemAt: folder.path(name))
    }

    /// Lets a store create a file.
    private func create(_ name: String, _ options: FileStoreOptions = FileStoreOptions()) throws {
        let store = try JSONFileStore(path: folder.path(name), options: options)
        try store.apply(PropertyListBatch(.set(1, key: "a")))
        try store.synchronize()
    }

    @Test(
        .enabled(if: geteuid() == 0, "only root can give files away"),
        arguments: [FileStoreOptions.Journal.beside, .none]
    )
    func `what root creates in the folder of another user belongs to that user`(_ journal: FileStoreOptions.Journal)
        throws
    {
        try folder.makeFolder("home")
        try check(chown(folder.path("home"), 1234, 5678))
        try create("home/config/app/file.json", FileStoreOptions(journal: journal, recovery: .lastGoodCopy))
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path("home"))
        #expect(names.count > 3)
        for name in names {
            let status = try status("home/\(name)")
            #expect((status.owner, status.group) == (1234, 5678), "\(name)")
            #expect(status.permissions == (status.kind == .folder ? 0o700 : 0o600), "\(name)")
        }
        // Where everyone may put files, root's own are nobody else's.
        try check(chmod(folder.path("home"), 0o1777))
        try create("home/file.json", FileStoreOptions(journal: journal))
        #expect(try status("home/file.json").owner == 0)
    }

    /// The journal belongs to the owner of the folder, and no file says that this user may write it.
    @Test(
        .enabled(if: geteuid() == 0, "only root can give files away"),
        arguments: [
            (mode_t(0o700), uid_t(1234), true), (0o775, 1234, true), (0o700, 4321, false), (0o777, 1234, false),
        ]
    )
    func `root opens what it has saved for another user before the file is there`(
        mode: mode_t,
        owner: uid_t,
        isTrusted: Bool
    ) throws {
        try folder.makeFolder("home")
        try check(chown(folder.path("home"), 1234, 5678))
        let first = try ProcessDouble(path: folder.path("home/file.json"))
        try first.save(["a": 1])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("home")) == [".file.json.journal"])
        #expect(try status("home/.file.json.journal").owner == 1234)
        try check(chown(folder.path("home/.file.json.journal"), owner, 5678))
        try check(chmod(folder.path("home"), mode))
        if isTrusted {
            #expect(try ProcessDouble(path: folder.path("home/file.json"))["a"] == 1)
        } else {
            let error = #expect(throws: FileStoreError.self) { try ProcessDouble(path: folder.path("home/file.json")) }
            #expect(error?.step == .openJournal)
        }
        withExtendedLifetime(first) {}
    }

    @Test func `new files and folders follow the umask if the options say so`() throws {
        let probe = open(folder.path("probe"), O_CREAT | O_WRONLY, 0o666)
        try check(probe)
        close(probe)
        try check(mkdir(folder.path("probes"), 0o777))
        let (mode, folderMode) = try (status("probe").permissions, status("probes").permissions)
        try create("shared/file.json", FileStoreOptions(newFiles: .followUmask))
        #expect(try status("shared").permissions == folderMode)
        #expect(try status("shared/file.json").permissions == mode)
        // Those who may only read the file cannot hold its lock.
        let journal = try status("shared/.file.json.journal").permissions
        #expect(journal == 0o600 | (mode & 0o020 == 0 ? 0 : 0o060) | (mode & 0o002 == 0 ? 0 : 0o006))
        // A file that is there keeps its mode.
        try check(chmod(folder.path("shared/file.json"), 0o640))
        try create("shared/file.json", FileStoreOptions(journal: .none, newFiles: .followUmask))
        #expect(try status("shared/file.json").permissions == 0o640)
    }

    @Test(.enabled(if: canMakeUnnamedFiles, "the system has no files without a name"), arguments: [false, true])
    func `a process that dies while it writes a file without a name leaves nothing behind`(isThere: Bool) throws {
        let (fileSystem, path) = (FaultyFileSystem(), AbsolutePath(folder.path("file.json"), relativeTo: "/"))
        let present = isThere ? ["file.json"] : []
        func replace() throws {
            if isThere { try folder.write(Array("old".utf8), to: "file.json") }
            let old = try POSIXFileSystem().resolve(path)
            let replacement = AtomicFileReplacement(fileSystem: fileSystem, path: path, unnamed: true)
            _ = try replacement.replaceContents(with: Array("new".utf8), instead: old, mayCreateFolder: false)
        }
        fileSystem.inject(.none)
        try replace()
        #expect(try folder.text(of: "file.json") == "new")
        let named = try #require(fileSystem.calls.firstIndex { $0.call == .link })
        #expect(fileSystem.calls[..<named].contains { $0.call == .fsync })
        for call in 1...(named + 1) {
            try FileManager.default.removeItem(atPath: folder.path("file.json"))
            fileSystem.inject(.crash(call: call))
            #expect(throws: FileStoreError.self) { try replace() }
            #expect(try folder.names == present, "\(fileSystem.calls)")
            try folder.write([], to: "file.json")
        }
    }

    @Test(
        .enabled(if: canMakeUnnamedFiles, "the system has no files without a name"),
        arguments: [EPERM, ENOENT, EXDEV]
    )
    func `a file that gets no name is written with one`(errno: Int32) throws {
        let (fileSystem, path) = (FaultyFileSystem(), AbsolutePath(folder.path("file.json"), relativeTo: "/"))
        let replacement = AtomicFileReplacement(fileSystem: fileSystem, path: path, unnamed: true)
        fileSystem.inject(.refusal(.link, errno: errno))
        _ = try replacement.replaceContents(
            with: Array("new".utf8),
            instead: POSIXFileSystem().resolve(path),
            mayCreateFolder: false
        )
        #expect(fileSystem.calls.contains { $0.call == .link })
        #expect(try folder.text(of: "file.json") == "new" && folder.names == ["file.json"])
    }

    private static let canMakeUnnamedFiles: Bool = {
        guard let folder = try? TemporaryFolder() else { return false }
        let file = POSIXFileSystem().openUnnamedFile(for: folder.path("file"))
        return file.map { (try? POSIXFileSystem().closeFile($0)) != nil } ?? false
    }()

    @Test func `a refusal names owner and mode, and the option for a folder that a group shares`() throws {
        try folder.makeFolder("shared")
        try folder.write(Array("{}".utf8), to: "shared/file.json")
        let owner = "belongs to user \(geteuid()) and group \(getegid()) with mode"
        for (mode, hint) in [(0o770, "with `newFiles: .followUmask`"), (0o700, "let the process read and write")]
            as [(mode_t, String)]
        {
            try check(chmod(folder.path("shared"), mode))
            let fileSystem = FaultyFileSystem()
            fileSystem.inject(.refusal(.open, errno: EACCES))
            let error = try #require(throws: FileStoreError.self) {
                try JSONFileStore(path: folder.path("shared/file.json"), seams: FileStoreSeams(fileSystem: fileSystem))
            }
            #expect(error.description.contains("\(owner) 0600, and the process to user"), "\(error)")
            #expect(error.description.contains(hint), "\(error)")
        }
        // A file that cannot be made: the folder matters.
        let fileSystem = FaultyFileSystem()
        let store = try JSONFileStore(
            path: folder.path("shared/new.json"),
            options: FileStoreOptions(durability: .everyBatch, journal: .none),
            seams: FileStoreSeams(fileSystem: fileSystem)
        )
        fileSystem.inject(.refusal(.open, errno: EACCES))
        let refused = try #require(throws: StoreError.self) { try store.apply(PropertyListBatch(.set(1, key: "a"))) }
        #expect(refused.description.contains("/shared\" \(owner) 0700"), "\(refused)")
    }
}
