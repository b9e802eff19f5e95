import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// The calls of the real file system that combine two others, or do without a part of one.
@Suite struct CombinedCallTests {
    private let folder: TemporaryFolder
    private let fileSystem = POSIXFileSystem()

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Array("contents".utf8), to: "file")
        try folder.link("link", to: "file")
    }

    @Test(arguments: ["file", "link", ""])
    func `the identity of an item is that of its status`(name: String) throws {
        let path = folder.path(name)
        let signature = try fileSystem.status(ofItemAt: path).signature
        let identity = try fileSystem.identity(ofItemAt: path)
        #expect(identity == ItemIdentity(device: signature.device, inode: signature.inode, size: signature.size))
    }

    @Test func `the identity of a missing item is an error of the call`() {
        let error = #expect(throws: SystemCallError.self) { try fileSystem.identity(ofItemAt: folder.path("missing")) }
        #expect(error?.errorNumber == ENOENT)
        #expect(["statx", "lstat"].contains(error?.call))
    }

    @Test func `bytes that are written and flushed in one call are where they belong`() throws {
        let file = try fileSystem.openFile(folder.path("file"), for: .updating)
        defer { try? fileSystem.closeFile(file) }
        #expect(try fileSystem.writeAndFlushBytes(Array("_TENTS".utf8).dropFirst(), to: file, at: 3) == 5)
        #expect(try folder.bytes(of: "file") == Array("conTENTS".utf8))
    }

    @Test func `bytes that cannot be written and flushed are an error of the call`() throws {
        let file = try fileSystem.openFile(folder.path("file"), for: .reading)
        defer { try? fileSystem.closeFile(file) }
        let error = #expect(throws: SystemCallError.self) {
            try fileSystem.writeAndFlushBytes([1, 2, 3], to: file, at: 0)
        }
        #expect(error?.errorNumber == EBADF)
    }
}
