import KeyspanFileStore
import Testing

/// What happens to the file itself and its companion.
@Suite("A file watcher", .timeLimit(.minutes(20)))
struct FileWatcherTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.overwrite("file", "old")
    }

    @Test("tells of a file in the place of another", arguments: WatcherKind.allCases)
    func replacement(kind: WatcherKind) async throws {
        let reader = WatchingReader(folder.path("file"), with: kind.watcher)
        for number in 1...3 {
            try folder.replace("file", "new \(number)")
            await reader.reads("new \(number)")
        }
        #expect(reader.errors.isEmpty)
    }

    @Test("tells of what is written over the file", arguments: WatcherKind.allCases)
    func overwriting(kind: WatcherKind) async throws {
        let reader = WatchingReader(folder.path("file"), with: kind.watcher)
        for number in 1...3 {
            try folder.overwrite("file", "new \(number)")
            await reader.reads("new \(number)")
        }
    }

    @Test("tells of what is written to a companion that is new, replaced and removed", arguments: WatcherKind.allCases)
    func companion(kind: WatcherKind) async throws {
        let reader = WatchingReader(folder.path("file"), with: kind.watcher)
        try folder.append("one", to: ".file.journal")
        await reader.reads("old", companion: "one")
        try folder.append("two", to: ".file.journal")
        await reader.reads("old", companion: "onetwo")
        try folder.replace(".file.journal", "three")
        await reader.reads("old", companion: "three")
        try folder.append("four", to: ".file.journal")
        await reader.reads("old", companion: "threefour")
        try folder.remove(".file.journal")
        await reader.reads("old")
    }

    @Test("tells that the file was removed and made again", arguments: WatcherKind.allCases)
    func removal(kind: WatcherKind) async throws {
        let reader = WatchingReader(folder.path("file"), with: kind.watcher)
        for number in 1...3 {
            try folder.remove("file")
            await reader.reads(nil)
            try folder.overwrite("file", "new \(number)")
            await reader.reads("new \(number)")
        }
    }

    @Test("tells of a file that did not exist", arguments: WatcherKind.allCases)
    func creation(kind: WatcherKind) async throws {
        let reader = WatchingReader(folder.path("missing"), with: kind.watcher)
        try folder.overwrite("missing", "new")
        await reader.reads("new")
    }

    @Test("tells that the file was moved away and back", arguments: WatcherKind.allCases)
    func moving(kind: WatcherKind) async throws {
        let reader = WatchingReader(folder.path("file"), with: kind.watcher)
        try folder.rename("file", to: "elsewhere")
        await reader.reads(nil)
        try folder.append(" new", to: "elsewhere")
        try folder.rename("elsewhere", to: "file")
        await reader.reads("old new")
    }

    @Test("tells of what is written to the file by another name", arguments: WatcherKind.allCases)
    func hardLink(kind: WatcherKind) async throws {
        try folder.makeFolder("other")
        try #require(link(folder.path("file"), folder.path("other/name")) == 0)
        let reader = WatchingReader(folder.path("file"), with: kind.watcher)
        var text = "old"
        for number in 1...3 {
            try folder.append(" \(number)", to: "other/name")
            text += " \(number)"
            await reader.reads(text)
        }
    }

    @Test("tells two stores with files in one folder of their own changes", arguments: WatcherKind.allCases)
    func twoFiles(kind: WatcherKind) async throws {
        let first = WatchingReader(folder.path("file"), with: kind.watcher)
        let second = WatchingReader(folder.path("second"), with: kind.watcher)
        try folder.overwrite("second", "new")
        await second.reads("new")
        try folder.overwrite("file", "new")
        await first.reads("new")
        first.cancel()
        try folder.replace("second", "newer")
        await second.reads("newer")
    }

    @Test("tells all stores with the same file", arguments: WatcherKind.allCases)
    func sameFile(kind: WatcherKind) async throws {
        let readers = (1...10).map { _ in WatchingReader(folder.path("file"), with: kind.watcher) }
        try folder.replace("file", "new")
        for reader in readers { await reader.reads("new") }
    }
}
