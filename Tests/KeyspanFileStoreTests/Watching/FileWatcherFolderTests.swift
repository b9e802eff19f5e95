import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// Changes of the folders on the way to the file.
@Suite(.timeLimit(.minutes(20)))
struct FileWatcherFolderTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.makeFolder("outer")
        try folder.makeFolder("outer/inner")
        try folder.overwrite("outer/inner/file", "old")
    }

    @Test(arguments: WatcherKind.allCases)
    func `a file watcher reports a file in new folders`(kind: WatcherKind) async throws {
        let reader = WatchingReader(folder.path("one/two/three/file"), with: kind.watcher)
        try folder.makeFolder("one")
        try folder.makeFolder("one/two")
        try folder.makeFolder("one/two/three")
        try folder.overwrite("one/two/three/file", "new")
        await reader.reads("new")
        try folder.overwrite("one/two/three/file", "newer")
        await reader.reads("newer")
    }

    @Test(arguments: WatcherKind.allCases, ["outer", "outer/inner"])
    func `a file watcher reports that a folder was moved away and back`(kind: WatcherKind, name: String) async throws {
        let reader = WatchingReader(folder.path("outer/inner/file"), with: kind.watcher)
        for number in 1...3 {
            try folder.rename(name, to: "elsewhere")
            await reader.reads(nil)
            try folder.overwrite(name == "outer" ? "elsewhere/inner/file" : "elsewhere/file", "new \(number)")
            try folder.rename("elsewhere", to: name)
            await reader.reads("new \(number)")
        }
        try folder.append("new", to: "outer/inner/.file.journal")
        await reader.reads("new 3", companion: "new")
    }

    @Test(arguments: WatcherKind.allCases, ["outer", "outer/inner"])
    func `a file watcher reports that a folder was removed and made again`(kind: WatcherKind, name: String) async throws
    {
        let reader = WatchingReader(folder.path("outer/inner/file"), with: kind.watcher)
        for number in 1...3 {
            try folder.remove(name)
            await reader.reads(nil)
            if name == "outer" { try folder.makeFolder("outer") }
            try folder.makeFolder("outer/inner")
            try folder.replace("outer/inner/file", "new \(number)")
            await reader.reads("new \(number)")
        }
    }

    /// A folder that somebody has open lives on without a name, and is not told to be gone.
    @Test(arguments: WatcherKind.allCases)
    func `a file watcher reports that an open folder was removed and made again`(kind: WatcherKind) async throws {
        let fileSystem = POSIXFileSystem()
        let open = try fileSystem.openFile(folder.path("outer/inner"), for: .folder)
        let reader = WatchingReader(folder.path("outer/inner/file"), with: kind.watcher)
        try folder.remove("outer/inner/file")
        await reader.reads(nil)
        try folder.remove("outer/inner")
        try folder.makeFolder("outer/inner")
        try folder.overwrite("outer/inner/file", "new")
        await reader.reads("new")
        try fileSystem.closeFile(open)
    }

    @Test(arguments: WatcherKind.allCases)
    func `a file watcher reports that a folder took the place of another`(kind: WatcherKind) async throws {
        try folder.makeFolder("next")
        try folder.overwrite("next/file", "new")
        let reader = WatchingReader(folder.path("outer/inner/file"), with: kind.watcher)
        try folder.remove("outer/inner/file")
        try folder.rename("next", to: "outer/inner")
        await reader.reads("new")
    }

    @Test(arguments: WatcherKind.allCases)
    func `a file watcher reports that a file took the place of a folder, and the other way round`(kind: WatcherKind)
        async throws
    {
        let reader = WatchingReader(folder.path("outer/inner/file"), with: kind.watcher)
        try folder.rename("outer/inner", to: "elsewhere")
        try folder.overwrite("outer/inner", "a file")
        await reader.reads(nil)
        try folder.remove("outer/inner")
        try folder.rename("elsewhere", to: "outer/inner")
        await reader.reads("old")
    }
}
