import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// Changes of links in the place of the file and of its folders.
@Suite(.timeLimit(.minutes(20)))
struct FileWatcherLinkTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["a", "b"] {
            try folder.makeFolder(name)
            try folder.overwrite("\(name)/file", "in \(name)")
        }
    }

    /// A Kubernetes volume: the names lead through one link, which is replaced when all files are there.
    @Test(arguments: WatcherKind.allCases)
    func `a file watcher that follows links reports every new version of a ConfigMap`(kind: WatcherKind) async throws {
        try folder.link("..data", to: "a")
        try folder.link("file", to: "..data/file")
        let reader = WatchingReader(
            folder.path("file"),
            companion: folder.path("..data/.file.journal"),
            with: kind.watcher
        )
        var versions = ["a"]
        for number in 1...3 {
            versions.append("..2026_\(number)")
            try folder.makeFolder(versions[number])
            try folder.overwrite("\(versions[number])/file", "version \(number)")
            try folder.replaceLink("..data", to: versions[number])
            await reader.reads("version \(number)")
            try folder.remove(versions[number - 1])
            try folder.append("journal", to: "\(versions[number])/.file.journal")
            await reader.reads("version \(number)", companion: "journal")
        }
        #expect(reader.errors.isEmpty)
    }

    @Test(arguments: WatcherKind.allCases)
    func `a file watcher that follows links reports a link that leads elsewhere`(kind: WatcherKind) async throws {
        try folder.link("file", to: "a/file")
        let reader = WatchingReader(folder.path("file"), with: kind.watcher)
        try folder.replaceLink("file", to: folder.path("b/file"))
        await reader.reads("in b")
        try folder.remove("file")
        await reader.reads(nil)
        try folder.link("file", to: "b/../a/./file")
        await reader.reads("in a")
        try folder.overwrite("a/file", "new")
        await reader.reads("new")
    }

    @Test(arguments: WatcherKind.allCases)
    func `a file watcher that follows links reports changes behind a chain of links`(kind: WatcherKind) async throws {
        try folder.link("current", to: "a")
        try folder.link("a/link", to: "../current/../b/file")
        try folder.link("file", to: "current/link")
        let reader = WatchingReader(
            folder.path("b/../file"),
            companion: folder.path("b/.file.journal"),
            with: kind.watcher
        )
        try folder.replace("b/file", "new")
        await reader.reads("new")
        try folder.append("new", to: "b/.file.journal")
        await reader.reads("new", companion: "new")
        try folder.overwrite("b/link", "not a link")
        try folder.replaceLink("current", to: "b")
        await reader.reads("not a link", companion: "new")
    }

    @Test(arguments: WatcherKind.allCases)
    func `a file watcher that follows links reports the file that a link to nothing names`(kind: WatcherKind)
        async throws
    {
        try folder.link("file", to: "new/folder/file")
        let reader = WatchingReader(folder.path("file"), with: kind.watcher)
        try folder.makeFolder("new")
        try folder.makeFolder("new/folder")
        try folder.overwrite("new/folder/file", "new")
        await reader.reads("new")
    }

    @Test(arguments: WatcherKind.allCases)
    func `a file watcher that follows links reports the end of a loop`(kind: WatcherKind) async throws {
        try folder.link("file", to: "other")
        try folder.link("other", to: "file")
        let reader = WatchingReader(folder.path("file"), with: kind.watcher)
        try folder.replaceLink("other", to: "a/file")
        await reader.reads("in a")
        #expect(reader.errors.isEmpty)
    }
}
