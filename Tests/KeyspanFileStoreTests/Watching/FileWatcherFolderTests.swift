import KeyspanFileStore
import Testing

/// What happens to the folders on the way to the file.
@Suite("A file watcher, when folders change,", .timeLimit(.minutes(20)))
struct FileWatcherFolderTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.makeFolder("outer")
        try folder.makeFolder("outer/inner")
        try folder.overwrite("outer/inner/file", "old")
    }

    @Test("tells of a file in new folders", arguments: WatcherKind.allCases)
    func newFolders(kind: WatcherKind) async throws {
        let reader = WatchingReader(folder.path("one/two/three/file"), with: kind.watcher)
        try folder.makeFolder("one")
        try folder.makeFolder("one/two")
        try folder.makeFolder("one/two/three")
        try folder.overwrite("one/two/three/file", "new")
        await reader.reads("new")
        try folder.overwrite("one/two/three/file", "newer")
        await reader.reads("newer")
    }

    @Test("tells that one was moved away and back", arguments: WatcherKind.allCases, ["outer", "outer/inner"])
    func moving(kind: WatcherKind, name: String) async throws {
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

    @Test("tells that one was removed and made again", arguments: WatcherKind.allCases, ["outer", "outer/inner"])
    func removal(kind: WatcherKind, name: String) async throws {
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
    @Test("tells that an open one was removed and made again", arguments: WatcherKind.allCases)
    func openFolder(kind: WatcherKind) async throws {
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

    @Test("tells that one took the place of another", arguments: WatcherKind.allCases)
    func replacement(kind: WatcherKind) async throws {
        try folder.makeFolder("next")
        try folder.overwrite("next/file", "new")
        let reader = WatchingReader(folder.path("outer/inner/file"), with: kind.watcher)
        try folder.remove("outer/inner/file")
        try folder.rename("next", to: "outer/inner")
        await reader.reads("new")
    }

    @Test("tells that a file took the place of one, and the other way round", arguments: WatcherKind.allCases)
    func fileForFolder(kind: WatcherKind) async throws {
        let reader = WatchingReader(folder.path("outer/inner/file"), with: kind.watcher)
        try folder.rename("outer/inner", to: "elsewhere")
        try folder.overwrite("outer/inner", "a file")
        await reader.reads(nil)
        try folder.remove("outer/inner")
        try folder.rename("elsewhere", to: "outer/inner")
        await reader.reads("old")
    }
}
