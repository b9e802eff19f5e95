import KeyspanFileStore
import Testing

/// The lock of a file without a journal: an empty journal that a crash has left behind, or that somebody has just made.
@Suite("The lock of a file without a journal")
struct SharedLockTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(fileBytes("old"), to: "file.json")
        try folder.write([], to: ".file.json.journal")
    }

    private func file() throws -> SharedFile {
        try SharedFile(
            path: folder.path("file.json"),
            codec: JSONFileCodec(),
            options: FileStoreOptions(journal: .none, lockTimeout: .zero),
            fileSystem: POSIXFileSystem()
        )
    }

    @Test func `stays in place for the others when one of several readers is done`() throws {
        var (first, second, writer) = (try file(), try file(), try file())
        try first.lock(.shared)
        try second.lock(.shared)
        first.unlock()
        #expect(throws: FileStoreError.self) { try writer.lock(.exclusive) }
        second.unlock()
        try writer.lock(.exclusive)
        writer.unlock()
        #expect(try folder.names == ["file.json"])
    }

    @Test func `is not taken from a writer by a reader who was late`() throws {
        var (late, writer, other) = (try file(), try file(), try file())
        try late.lock(.shared)
        try folder.remove(".file.json.journal")
        try writer.lock(.exclusive)
        late.unlock()
        #expect(throws: FileStoreError.self) { try other.lock(.exclusive) }
        writer.unlock()
        #expect(try folder.names == ["file.json"])
    }
}
