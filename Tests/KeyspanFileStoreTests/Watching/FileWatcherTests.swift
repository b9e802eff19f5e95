import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// Changes of the file itself and its companion.
@Suite(.timeLimit(.minutes(20)))
struct FileWatcherTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.overwrite("file", "old")
    }

    @Test(arguments: WatcherKind.allCases)
    func `a file watcher reports a file in the place of another`(kind: WatcherKind) async throws {
        let reader = WatchingReader(folder.path("file"), with: kind.watcher)
        for number in 1...3 {
            try folder.replace("file", "new \(number)")
            await reader.reads("new \(number)")
        }
        #expect(reader.errors.isEmpty)
    }

    @Test(arguments: WatcherKind.allCases)
    func `a file watcher reports what is written over the file`(kind: WatcherKind) async throws {
        let reader = WatchingReader(folder.path("file"), with: kind.watcher)
        for number in 1...3 {
            try folder.overwrite("file", "new \(number)")
            await reader.reads("new \(number)")
        }
    }

    @Test(arguments: WatcherKind.allCases)
    func `a file watcher reports what is written to a companion that is new, replaced and removed`(kind: WatcherKind)
        async throws
    {
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

    @Test(arguments: WatcherKind.allCases)
    func `a file watcher reports that the file was removed and made again`(kind: WatcherKind) async throws {
        let reader = WatchingReader(folder.path("file"), with: kind.watcher)
        for number in 1...3 {
            try folder.remove("file")
            await reader.reads(nil)
            try folder.overwrite("file", "new \(number)")
            await reader.reads("new \(number)")
        }
    }

    @Test(arguments: WatcherKind.allCases)
    func `a file watcher reports a file that did not exist`(kind: WatcherKind) async throws {
        let reader = WatchingReader(folder.path("missing"), with: kind.watcher)
        try folder.overwrite("missing", "new")
        await reader.reads("new")
    }

    @Test(arguments: WatcherKind.allCases)
    func `a file watcher reports that the file was moved away and back`(kind: WatcherKind) async throws {
        let reader = WatchingReader(folder.path("file"), with: kind.watcher)
        try folder.rename("file", to: "elsewhere")
        await reader.reads(nil)
        try folder.append(" new", to: "elsewhere")
        try folder.rename("elsewhere", to: "file")
        await reader.reads("old new")
    }

    @Test(arguments: WatcherKind.allCases)
    func `a file watcher reports what is written to the file by another name`(kind: WatcherKind) async throws {
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

    @Test(arguments: WatcherKind.allCases)
    func `a file watcher notifies two stores with files in one folder of their own changes only`(kind: WatcherKind)
        async throws
    {
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

    @Test(arguments: WatcherKind.allCases)
    func `a file watcher notifies all stores with the same file`(kind: WatcherKind) async throws {
        let readers = (1...10).map { _ in WatchingReader(folder.path("file"), with: kind.watcher) }
        try folder.replace("file", "new")
        for reader in readers { await reader.reads("new") }
    }
}
