#if os(macOS) || os(Linux) || os(FreeBSD)
import KeyspanCore
import KeyspanFileStore
import KeyspanFileStoreProcess
import KeyspanTestSupport
import Testing

/// Stores in processes that end, or that change what concerns a whole process.
@Suite(.heavy) struct EndingTests {
    private let folder = TemporaryFolder.forTest
    private var path: String { folder.path("file.json") }

    @Test func `a process saves what is unsaved when it exits`() async throws {
        try await StoreProcess(.exit, path: path, mode: .onSynchronize).finish(status: 7)
        #expect(try folder.bytes(of: "file.json") == fileBytes("new"))
        #expect(try folder.names == [".file.json.journal", "file.json"])
    }

    @Test(arguments: ["reload", "batch"], [StoreMode.onSynchronize, .oneFile])
    func `a process saves what is unsaved when a validation ends it`(examination: String, mode: StoreMode) async throws
    {
        try await StoreProcess(.exitValidating, path: path, mode: mode, name: examination).finish(status: 7)
        #expect(try JSONFileStore(path: path, options: mode.options).value(forKey: "key") == "new")
    }

    @Test func `a child that fork makes shares a file with its parent as another process does`() async throws {
        try await StoreProcess(.fork, path: path, count: 200).finish()
        #expect(try JSONFileStore(path: path).value(forKey: "n") == 400)
    }

    @Test func `a process saves with the permissions of the file, whatever its mask`() async throws {
        try folder.write(fileBytes("old"), to: "old.json", permissions: 0o666)
        try await StoreProcess(.masks, path: folder.path).finish()
    }

    @Test(arguments: [StoreMode.onSynchronize, .oneFile])
    func `a process that ignores the signal goes on beyond a file size limit`(mode: StoreMode) async throws {
        try await StoreProcess(.sizeLimit, path: path, mode: mode, name: "ignoring").finish()
        #expect(try JSONFileStore(path: path).value(forKey: "key") == "small")
        #expect(try folder.names.allSatisfy { !$0.hasSuffix(".tmp") })
    }

    @Test func `a process that a file size limit ends keeps what was synchronized`() async throws {
        try await StoreProcess(.sizeLimit, path: path, mode: .onSynchronize).finish(status: 128 + SIGXFSZ)
        #expect(try JSONFileStore(path: path).value(forKey: "key") == "synchronized")
    }

    @Test func `a process may change its working folder under a store with a relative path`() async throws {
        try folder.makeFolder("sub")
        try await StoreProcess(.folders, path: folder.path).finish()
        #expect(try folder.names == [".file.json.journal", "file.json", "sub"])
        #expect(try folder.bytes(of: "file.json") == fileBytes("new"))
    }
}
#endif
