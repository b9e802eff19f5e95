@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTesting
import Testing

extension SimulatedDisk {
    fileprivate func create(_ path: String, _ bytes: [UInt8]) throws -> OpenFile {
        let file = try openFile(path, for: .creating)
        _ = try writeBytes(bytes[...], to: file)
        return file
    }

    /// Writes to a file without flushing it.
    fileprivate func overwrite(_ path: String, _ bytes: [UInt8], at offset: Int = 0) throws {
        let file = try openFile(path, for: .updating)
        _ = try writeBytes(bytes[...], to: file, at: offset)
    }

    fileprivate func flushFolder(_ path: String) throws {
        let folder = try openFile(path, for: .folder)
        try flush(folder)
        try closeFile(folder)
    }

    /// Everything that files may hold when the power goes now.
    fileprivate func contents(of paths: [String]) -> Set<[[UInt8]?]> {
        Set(crashes().map { found in paths.map { found.bytes(of: $0) } })
    }
}

@Suite
struct SimulatedDiskPowerLossTests {
    /// Calls, and what files may hold when the power goes after them; `nil` stands for no file.
    struct Loss: CustomTestStringConvertible {
        let testDescription: String
        let paths: [String]
        let contents: Set<[[UInt8]?]>
        /// Whether there are others, such as bytes that were spoiled.
        let hasOthers: Bool
        let calls: @Sendable (SimulatedDisk) throws -> Void

        init(
            _ name: String,
            of paths: [String] = ["/a"],
            leaves contents: Set<[[UInt8]?]>,
            hasOthers: Bool = false,
            _ calls: @escaping @Sendable (SimulatedDisk) throws -> Void
        ) {
            (testDescription, self.paths, self.contents) = (name, paths, contents)
            (self.hasOthers, self.calls) = (hasOthers, calls)
        }
    }

    private static let losses = [
        Loss("a name whose folder was not flushed, though the file was", leaves: [[nil], [[1, 2, 3]]]) {
            try $0.flush($0.create("/a", [1, 2, 3]))
        },
        Loss("bytes under a durable name", leaves: [[[]], [[1]], [[1, 2]], [[0, 0]]], hasOthers: true) {
            _ = try $0.create("/a", [1, 2])
            try $0.flushFolder("/")
        },
        Loss("no step of a rename", of: ["/new", "/a"], leaves: [[nil, [1]], [[2], [1]], [nil, [2]]]) {
            try $0.write([1], to: "/a")
            try $0.flush($0.create("/new", [2]))
            try $0.renameFile("/new", to: "/a")
        },
        Loss(
            "either name of a file that is moved to another folder",
            of: ["/a/file", "/b/file"],
            leaves: [[[1], nil], [nil, [1]], [[1], [1]], [nil, nil]]
        ) {
            try $0.write([1], to: "/a/file")
            try $0.makeFolders("/b")
            try $0.renameFile("/a/file", to: "/b/file")
        },
        Loss("a folder with all that was flushed in it", of: ["/a/b"], leaves: [[nil], [[1]]]) {
            try $0.makeFolder("/a", permissions: 0o700)
            try $0.flush($0.create("/a/b", [1]))
            try $0.flushFolder("/a")
        },
        Loss("nothing of a folder that was flushed like all above it", of: ["/a/b"], leaves: [[[1]]]) {
            try $0.makeFolder("/a", permissions: 0o700)
            try $0.flush($0.create("/a/b", [1]))
            try $0.flushFolder("/a")
            try $0.flushFolder("/")
        },
        Loss(
            "the removal of a file, also of one that was written to after that",
            leaves: [[nil], [[1]], [[2]]],
            hasOthers: true
        ) {
            try $0.write([1], to: "/a")
            let file = try $0.openFile("/a", for: .updating)
            try $0.removeFile("/a")
            _ = try $0.writeBytes([2], to: file)
        },
        Loss("no removal that was flushed", leaves: [[nil]]) {
            try $0.write([1], to: "/a")
            try $0.removeFile("/a")
            try $0.flushFolder("/")
        },
        Loss(
            "writes independently of each other",
            leaves: [[[]], [[1]], [[1, 2, 3]], [[0, 2]], [[0, 0, 3]]],
            hasOthers: true
        ) {
            try $0.write([], to: "/a")
            for byte in 1...3 as ClosedRange<UInt8> { try $0.overwrite("/a", [byte], at: Int(byte) - 1) }
        },
        Loss("no bytes that were written again as they were", leaves: [[[1, 2]]]) {
            try $0.write([1, 2], to: "/a")
            try $0.overwrite("/a", [1, 2])
        },
        Loss("bytes that were written again after others", leaves: [[[1, 2, 3]], [[1, 9, 3]]], hasOthers: true) {
            try $0.write([1, 2, 3], to: "/a")
            try $0.overwrite("/a", [1, 9, 3])
            try $0.overwrite("/a", [1, 2, 3])
        },
        Loss("what cuts a file off", leaves: [[[1, 2]], [[1]]]) {
            try $0.write([1, 2], to: "/a")
            try $0.truncate($0.openFile("/a", for: .updating), to: 1)
        },
        Loss("what lengthens a file", leaves: [[[1, 2]], [[1, 2, 0, 0]]]) {
            try $0.write([1, 2], to: "/a")
            try $0.truncate($0.openFile("/a", for: .updating), to: 4)
        },
        Loss("for good what a failed flush was to write, and reports it once through each open file", leaves: [[[1]]]) {
            disk in
            try disk.write([1], to: "/a")
            let files = try (0..<2).map { _ in try disk.openFile("/a", for: .updating) }
            _ = try disk.writeBytes([2], to: files[0], at: 0)
            disk.failFlush(number: 1)
            for file in files {
                #expect(throws: SystemCallError(.fdatasync, "/a", EIO)) { try disk.flushContents(of: file) }
            }
            for file in try files + [disk.openFile("/a", for: .updating)] { try disk.flushContents(of: file) }
            #expect(disk.bytes(of: "/a") == [2])
        },
    ]

    @Test(arguments: losses, [false, true])
    func `a disk that loses power may lose`(loss: Loss, reordersNames: Bool) throws {
        let disk = SimulatedDisk(.init(reordersNames: reordersNames))
        try loss.calls(disk)
        let contents = disk.contents(of: loss.paths)
        #expect(loss.hasOthers ? contents.isSuperset(of: loss.contents) : contents == loss.contents)
        // It loses nothing more the second time, and has neither open files nor locks.
        for found in disk.crashes() {
            #expect(found.contents(of: loss.paths).count == 1 && !found.hasUnflushedChanges && found.openFileCount == 0)
        }
    }

    @Test(arguments: [true, false])
    func `a disk that loses power keeps attributes that were flushed, and may lose others`(isFlushed: Bool) throws {
        let disk = SimulatedDisk()
        try disk.write([1], to: "/a", permissions: 0o600)
        let file = try disk.openFile("/a", for: .updating)
        _ = try disk.writeBytes([2], to: file)
        try disk.setPermissions(0o644, of: file)
        try disk.setOwner(7, group: 8, of: file)
        if isFlushed { try disk.flush(file) } else { try disk.flushContents(of: file) }
        #expect(disk.contents(of: ["/a"]) == [[[2]]])
        let found = try disk.crashes().map { try $0.status(ofItemAt: "/a") }
        #expect(Set(found.map(\.permissions)) == (isFlushed ? [0o644] : [0o600, 0o644]))
        #expect(Set(found.map(\.owner)) == (isFlushed ? [7] : [0, 7]))
    }

    @Test(arguments: [false, true])
    func `a disk that loses power loses names of a folder from the last one on, or any of them`(
        reordersNames: Bool
    ) throws {
        let disk = SimulatedDisk(.init(reordersNames: reordersNames))
        for path in ["/a", "/b", "/c"] { try disk.makeFolder(path, permissions: 0o700) }
        let names = Set(try disk.crashes().map { try $0.names(inFolder: "/").joined() })
        #expect(names == (reordersNames ? ["", "a", "b", "c", "ab", "ac", "bc", "abc"] : ["", "a", "ab", "abc"]))
    }

    @Test func `a disk that loses power may write a later sector without an earlier one, and tear one`() throws {
        let disk = SimulatedDisk()
        try disk.write([UInt8](repeating: 1, count: 1200), to: "/a")
        try disk.overwrite("/a", [UInt8](repeating: 2, count: 1000), at: 100)
        let found = (1...50).flatMap { disk.crashes(enumerated: 1, sampled: 20, seed: $0) }
            .compactMap { $0.bytes(of: "/a") }
        let sectors = Set(found.map { [$0[100], $0[511], $0[512], $0[1023], $0[1024]] })
        #expect(sectors.isSuperset(of: [[1, 1, 2, 2, 1], [1, 1, 1, 1, 2], [2, 2, 1, 1, 1], [2, 2, 2, 2, 1]]))
        #expect(sectors.contains { $0[0] == 2 && $0[1] == 1 })
        let untouched = Set(found.map { Array($0[..<100] + $0[1100...]) })
        #expect(untouched == [[UInt8](repeating: 1, count: 200)])
    }

    @Test func `a disk that loses power leaves the same disks for the same seed`() throws {
        let disk = SimulatedDisk()
        for number in 1...20 { try disk.makeFolder("/\(number)", permissions: 0o700) }
        let file = try disk.create("/a", [UInt8](repeating: 1, count: 100))
        try disk.flushFolder("/")
        for _ in 1...9 { _ = try disk.writeBytes([1, 2, 3], to: file) }
        let found = [1, 1, 2].map { disk.crashes(enumerated: 4, sampled: 20, seed: $0).map { $0.bytes(of: "/a") } }
        #expect(found[0] == found[1] && found[0] != found[2] && found[0].count == 24)
    }
}
