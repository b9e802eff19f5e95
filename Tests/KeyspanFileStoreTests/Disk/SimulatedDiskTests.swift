@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Behavior that the comparison with the real file system leaves out, because it differs there or cannot be produced.
@Suite
struct SimulatedDiskTests {
    private let disk = SimulatedDisk()

    @Test func `a simulated disk gives out the lowest free descriptor, and knows no closed one`() throws {
        let first = try disk.openFile("/a", for: .creating)
        let second = try disk.openFile("/b", for: .creating)
        try disk.closeFile(first)
        #expect(throws: SystemCallError(.read, "/a", EBADF)) { try disk.readBytes(from: first, atMost: 1) }
        #expect(throws: SystemCallError(.close, "/a", EBADF)) { try disk.closeFile(first) }
        #expect(try disk.openFile("/c", for: .creating).descriptor == first.descriptor)
        #expect(second.descriptor == first.descriptor + 1)
    }

    @Test func `a simulated disk gives every file a number of its own, which it keeps when it is renamed`() throws {
        try disk.write([1], to: "/a")
        let old = try disk.status(ofItemAt: "/a").signature
        try disk.renameFile("/a", to: "/b")
        try disk.write([1], to: "/a")
        #expect(try disk.status(ofItemAt: "/b").signature.isSameFile(as: old))
        #expect(try !disk.status(ofItemAt: "/a").signature.isSameFile(as: old))
    }

    @Test(arguments: [(Int64(1), true), (1_000_000, false)])
    func `a simulated disk distinguishes two changes unless both are within one tick`(tick: Int64, areToldApart: Bool)
        throws
    {
        let disk = SimulatedDisk(.init(clockTick: tick))
        let file = try disk.openFile("/a", for: .creating)
        _ = try disk.writeBytes([1], to: file, at: 0)
        let first = try disk.status(of: file).signature
        _ = try disk.writeBytes([2], to: file, at: 0)
        let second = try disk.status(of: file).signature
        #expect((first != second) == areToldApart)
        #expect(first.modified <= second.modified)
    }

    @Test
    func `a simulated disk changes the time of a file's attributes, not of its contents, with its name or its owner`()
        throws
    {
        let file = try disk.openFile("/a", for: .creating)
        let created = try disk.status(of: file).signature
        try disk.renameFile("/a", to: "/b")
        let renamed = try disk.status(of: file).signature
        try disk.setOwner(7, group: nil, of: file)
        let given = try disk.status(of: file)
        #expect(created.changed < renamed.changed && renamed.changed < given.signature.changed)
        #expect(given.signature.modified == created.modified)
        #expect((given.owner, given.group) == (7, 0))
    }

    @Test func `a simulated disk takes what it has room for, then nothing`() throws {
        let disk = SimulatedDisk(.init(capacity: 10))
        try disk.write([0, 0, 0, 0], to: "/other")
        let file = try disk.openFile("/a", for: .creating)
        #expect(try disk.writeBytes([1, 2, 3, 4, 5, 6, 7, 8], to: file) == 6)
        #expect(throws: SystemCallError(.write, "/a", ENOSPC)) { try disk.writeBytes([7, 8], to: file) }
        #expect(throws: SystemCallError(.ftruncate, "/a", ENOSPC)) { try disk.truncate(file, to: 7) }
        #expect(try disk.writeBytes([9, 9], to: file, at: 0) == 2)
        try disk.removeFile("/other")
        #expect(try disk.writeBytes([7, 8], to: file) == 2)
        #expect(disk.bytes(of: "/a") == [9, 9, 3, 4, 5, 6, 7, 8])
    }

    @Test func `a simulated disk starts relative paths from the working folder`() throws {
        let disk = SimulatedDisk(.init(workingFolder: "/home"))
        try disk.write([1], to: "/home/a")
        #expect(try disk.workingFolder() == "/home")
        #expect(try disk.status(ofItemAt: "a") == disk.status(ofItemAt: "/home/a"))
        #expect(throws: SystemCallError(.lstat, "", ENOENT)) { try disk.status(ofItemAt: "") }
    }

    @Test func `a simulated disk refuses names of more than 255 bytes`() throws {
        let name = "/" + String(repeating: "x", count: 256)
        #expect(throws: SystemCallError(.mkdir, name, ENAMETOOLONG)) { try disk.makeFolder(name, permissions: 0o700) }
        try disk.makeFolder(String(name.dropLast()), permissions: 0o700)
    }

    @Test func `a simulated disk keeps what killed processes wrote, not their locks`() throws {
        let file = try disk.openFile("/a", for: .creating)
        _ = try disk.writeBytes([1], to: file)
        #expect(try disk.lock(file, exclusively: true))
        let other = try disk.openFile("/a", for: .updating)
        #expect(try !disk.lock(other, exclusively: false))

        let later = disk.afterProcessesWereKilled()
        #expect(later.bytes(of: "/a") == [1])
        #expect(later.hasUnflushedChanges)
        #expect(later.openFileCount == 0)
        #expect(try later.lock(later.openFile("/a", for: .updating), exclusively: true))
    }
}

#if os(Linux)
/// The disk in memory answers as Linux does, so the comparison is made there alone.
@Suite
struct SimulatedDiskCallTests {
    @Test(.seeded) func `a simulated disk gives the same answers as the real file system to the same calls`() throws {
        for seed in SeededGenerator.seeds(TestLevel.current.pick(8, thorough: 100)) {
            let folder = try TemporaryFolder()
            let simulated = SimulatedDisk()
            try simulated.makeFolders(folder.path)
            let name = AbsolutePath(folder.path, relativeTo: "/").name
            for (name, target) in [("link", "a"), ("loop", "loop"), ("up", "../\(name)/b")] {
                try folder.link(name, to: target)
                try simulated.link(folder.path(name), to: target)
            }
            var comparison = FileSystemComparison(POSIXFileSystem(), simulated, folder: folder.path, seed: seed)
            for _ in 0..<500 {
                let isSame = comparison.compareNext()
                try #require(isSame, "seed \(seed): \(comparison.history.suffix(30).joined(separator: "\n"))")
            }
            comparison.closeAll()
            #expect(simulated.openFileCount == 0)
        }
    }
}
#endif

@Suite
struct EnumeratedChoicesTests {
    @Test
    func `enumerated choices go through all combinations, also where one outcome decides what there is to choose`() {
        var choices = EnumeratedChoices()
        var found: [[Int]] = []
        repeat {
            let first = choices.outcome(of: 3)
            found.append(first == 1 ? [first] : [first, choices.outcome(of: 2)])
        } while choices.advance()
        #expect(found == [[0, 0], [0, 1], [1], [2, 0], [2, 1]])
    }

    @Test func `enumerated choices are one combination if there is nothing to choose`() {
        var choices = EnumeratedChoices()
        let hasMore = choices.advance()
        #expect(!hasMore)
    }
}
