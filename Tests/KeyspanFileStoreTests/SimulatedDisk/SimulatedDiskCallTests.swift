#if os(Linux)
import KeyspanFileStore
import Testing

/// The disk in memory answers as Linux does, so the comparison is made there alone.
@Suite
struct SimulatedDiskCallTests {
    @Test(arguments: UInt64(1)...30)
    func `a simulated disk, compared with the real file system gives the same answers to the same calls`(seed: UInt64)
        throws
    {
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
            try #require(isSame, "\(comparison.history.suffix(30).joined(separator: "\n"))")
        }
        comparison.closeAll()
        #expect(simulated.openFileCount == 0)
    }
}
#endif
