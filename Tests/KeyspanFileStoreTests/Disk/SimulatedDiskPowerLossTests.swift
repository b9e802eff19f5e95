@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTesting
import Testing

@Suite
struct SimulatedDiskPowerLossTests {
    private let disk = SimulatedDisk()

    @Test func `a simulated disk that loses power keeps what was flushed, and neither open files nor locks`() throws {
        let file = try create("/a", [1, 2, 3])
        try disk.setPermissions(0o640, of: file)
        #expect(try disk.lock(file, exclusively: true))
        try disk.flush(file)
        try flushFolder("/")
        #expect(!disk.hasUnflushedChanges)
        let found = try #require(disk.crashes().first)
        #expect(disk.crashes().count == 1)
        #expect(found.bytes(of: "/a") == [1, 2, 3])
        #expect(try found.status(ofItemAt: "/a") == disk.status(ofItemAt: "/a"))
        #expect(found.openFileCount == 0)
        #expect(try found.lock(found.openFile("/a", for: .updating), exclusively: true))
    }

    @Test func `a simulated disk that loses power may lose a name whose folder was not flushed, though the file was`()
        throws
    {
        try disk.flush(create("/a", [1, 2, 3]))
        #expect(contents(of: "/a") == [nil, [1, 2, 3]])
    }

    @Test func `a simulated disk that loses power may keep a name and lose, cut or spoil the bytes`() throws {
        _ = try create("/a", [1, 2])
        try flushFolder("/")
        let contents = contents(of: "/a")
        #expect(contents.isSuperset(of: [[], [1], [1, 2], [0, 0]]))
        #expect(contents.contains { $0?.count == 2 && $0 != [1, 2] && $0 != [0, 0] })
        #expect(contents.count == 5)
    }

    @Test(arguments: [true, false])
    func `a simulated disk that loses power keeps attributes that were flushed, and may lose others`(
        isWithAttributes: Bool
    ) throws {
        try disk.write([1], to: "/a", permissions: 0o600)
        let file = try disk.openFile("/a", for: .updating)
        _ = try disk.writeBytes([2], to: file)
        try disk.setPermissions(0o644, of: file)
        try disk.setOwner(7, group: 8, of: file)
        if isWithAttributes { try disk.flush(file) } else { try disk.flushContents(of: file) }
        #expect(contents(of: "/a") == [[2]])
        let found = try disk.crashes().map { try $0.status(ofItemAt: "/a") }
        #expect(Set(found.map(\.permissions)) == (isWithAttributes ? [0o644] : [0o600, 0o644]))
        #expect(Set(found.map(\.owner)) == (isWithAttributes ? [7] : [0, 7]))
    }

    @Test(arguments: [false, true])
    func `a simulated disk that loses power renames a file in one step`(reordersNames: Bool) throws {
        let disk = SimulatedDisk(.init(reordersNames: reordersNames))
        try disk.write([1], to: "/a")
        let file = try disk.openFile("/new", for: .creating)
        _ = try disk.writeBytes([2], to: file)
        try disk.flush(file)
        try disk.renameFile("/new", to: "/a")
        let found = Set(disk.crashes().map { [$0.bytes(of: "/new"), $0.bytes(of: "/a")] })
        #expect(found == [[nil, [1]], [[2], [1]], [nil, [2]]])
    }

    @Test(arguments: [false, true])
    func `a simulated disk that loses power loses names of a folder from the last one on, or any of them`(
        reordersNames: Bool
    ) throws {
        let disk = SimulatedDisk(.init(reordersNames: reordersNames))
        for path in ["/a", "/b", "/c"] { try disk.makeFolder(path, permissions: 0o700) }
        let names = Set(try disk.crashes().map { try $0.names(inFolder: "/").joined() })
        #expect(names == (reordersNames ? ["", "a", "b", "c", "ab", "ac", "bc", "abc"] : ["", "a", "ab", "abc"]))
    }

    @Test func `a simulated disk that loses power may lose either name of a file that is moved to another folder`()
        throws
    {
        try disk.write([1], to: "/a/file")
        try disk.makeFolders("/b")
        try disk.renameFile("/a/file", to: "/b/file")
        let found = Set(disk.crashes().map { [$0.bytes(of: "/a/file"), $0.bytes(of: "/b/file")] })
        #expect(found == [[[1], nil], [nil, [1]], [[1], [1]], [nil, nil]])
    }

    @Test func `a simulated disk that loses power may lose a folder with all that was flushed in it`() throws {
        try disk.makeFolder("/a", permissions: 0o700)
        try disk.flush(create("/a/b", [1]))
        try flushFolder("/a")
        #expect(contents(of: "/a/b") == [nil, [1]])
        try flushFolder("/")
        #expect(contents(of: "/a/b") == [[1]])
    }

    @Test
    func `a simulated disk that loses power may bring a removed file back, also one that was written to after that`()
        throws
    {
        try disk.write([1], to: "/a")
        let file = try disk.openFile("/a", for: .updating)
        try disk.removeFile("/a")
        _ = try disk.writeBytes([2], to: file)
        #expect(contents(of: "/a").isSuperset(of: [nil, [1], [2]]))
        try flushFolder("/")
        #expect(contents(of: "/a") == [nil])
        try disk.closeFile(file)
        #expect(!disk.hasUnflushedChanges)
    }

    @Test func `a simulated disk that loses power loses writes independently of each other`() throws {
        try disk.write([], to: "/a")
        let file = try disk.openFile("/a", for: .updating)
        for byte in [1, 2, 3] as [UInt8] { _ = try disk.writeBytes([byte], to: file) }
        #expect(contents(of: "/a").isSuperset(of: [[], [1], [1, 2, 3], [0, 2], [0, 0, 3], [0, 2, 3]]))
    }

    @Test(arguments: [0, 1, 4])
    func `a simulated disk that loses power cuts a file off or does not`(size: Int) throws {
        try disk.write([1, 2], to: "/a")
        try disk.truncate(disk.openFile("/a", for: .updating), to: size)
        #expect(contents(of: "/a") == [[1, 2], Array([1, 2, 0, 0].prefix(size))])
    }

    @Test func `a simulated disk that loses power may write a later sector without an earlier one, and tear one`()
        throws
    {
        try disk.write([UInt8](repeating: 1, count: 1200), to: "/a")
        let file = try disk.openFile("/a", for: .updating)
        _ = try disk.writeBytes([UInt8](repeating: 2, count: 1000)[...], to: file, at: 100)
        let found = (1...50).flatMap { disk.crashes(enumerated: 1, sampled: 20, seed: $0) }
            .compactMap { $0.bytes(of: "/a") }
        let sectors = Set(found.map { [$0[100], $0[511], $0[512], $0[1023], $0[1024]] })
        #expect(sectors.isSuperset(of: [[1, 1, 2, 2, 1], [1, 1, 1, 1, 2], [2, 2, 1, 1, 1], [2, 2, 2, 2, 1]]))
        #expect(sectors.contains { $0[0] == 2 && $0[1] == 1 })
        let untouched = Set(found.map { Array($0[..<100] + $0[1100...]) })
        #expect(untouched == [[UInt8](repeating: 1, count: 200)])
    }

    @Test func `a simulated disk that loses power never writes what a failed flush was to write`() throws {
        try disk.write([1], to: "/a")
        let file = try disk.openFile("/a", for: .updating)
        _ = try disk.writeBytes([2, 2], to: file)
        disk.failFlush(number: 1)
        #expect(throws: SystemCallError(.fdatasync, "/a", EIO)) { try disk.flushContents(of: file) }
        try disk.flushContents(of: file)
        #expect(disk.bytes(of: "/a") == [2, 2])
        #expect(contents(of: "/a") == [[1]])
        _ = try disk.writeBytes([3], to: file, at: 0)
        try disk.flushContents(of: file)
        #expect(contents(of: "/a") == [[3]])
    }

    @Test func `a simulated disk that loses power reports a failed flush once through each file that was open`() throws
    {
        try disk.write([1], to: "/a")
        let files = try (0..<2).map { _ in try disk.openFile("/a", for: .updating) }
        _ = try disk.writeBytes([2], to: files[0], at: 0)
        disk.failFlush(number: 1)
        for file in files {
            #expect(throws: SystemCallError(.fdatasync, "/a", EIO)) { try disk.flushContents(of: file) }
        }
        for file in try files + [disk.openFile("/a", for: .updating)] { try disk.flushContents(of: file) }
        #expect(contents(of: "/a") == [[1]])
    }

    @Test func `a simulated disk that loses power keeps bytes that were written again`() throws {
        try disk.write([1, 2, 3, 4], to: "/a")
        let file = try disk.openFile("/a", for: .updating)
        _ = try disk.writeBytes([1, 2, 3, 4], to: file, at: 0)
        #expect(!disk.hasUnflushedChanges)
        _ = try disk.writeBytes([1, 9, 3, 4], to: file, at: 0)
        _ = try disk.writeBytes([1, 2, 3, 4], to: file, at: 0)
        #expect(contents(of: "/a").isSuperset(of: [[1, 2, 3, 4], [1, 9, 3, 4]]))
        try disk.flush(file)
        _ = try disk.writeBytes([1, 2, 8, 4, 5], to: file, at: 0)
        #expect(contents(of: "/a").allSatisfy { $0?.prefix(2) == [1, 2] })
    }

    @Test func `a simulated disk that loses power loses nothing more the second time`() throws {
        _ = try create("/a", [1, 2])
        for found in disk.crashes() {
            #expect(found.crashes().map { $0.bytes(of: "/a") } == [found.bytes(of: "/a")])
        }
    }

    @Test func `a simulated disk that loses power leaves the same disks for the same seed`() throws {
        for number in 1...20 { try disk.makeFolder("/\(number)", permissions: 0o700) }
        let file = try create("/a", [UInt8](repeating: 1, count: 100))
        try flushFolder("/")
        for _ in 1...9 { _ = try disk.writeBytes([1, 2, 3], to: file) }
        let found = [1, 1, 2].map { disk.crashes(enumerated: 4, sampled: 20, seed: $0).map { $0.bytes(of: "/a") } }
        #expect(found[0] == found[1])
        #expect(found[0] != found[2])
        #expect(found[0].count == 24)
    }

    private func create(_ path: String, _ bytes: [UInt8]) throws -> OpenFile {
        let file = try disk.openFile(path, for: .creating)
        _ = try disk.writeBytes(bytes[...], to: file)
        return file
    }

    private func flushFolder(_ path: String) throws {
        let folder = try disk.openFile(path, for: .folder)
        try disk.flush(folder)
        try disk.closeFile(folder)
    }

    /// Everything that a file may hold when the power goes now.
    private func contents(of path: String) -> Set<[UInt8]?> {
        Set(disk.crashes().map { $0.bytes(of: path) })
    }
}
