import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// A watcher reports changes of a file, of its companion, and of the folders and links on the way to both.
@Suite
struct FileWatcherTests {
    /// Changes in a folder, with the contents of the file and its companion that are read after each.
    struct Script: CustomTestStringConvertible {
        let testDescription: String
        let steps: String

        init(_ name: String, _ steps: String) { (testDescription, self.steps) = (name, steps) }
    }

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.overwrite("file", "old")
        for name in ["outer", "outer/inner", "a", "b"] { try folder.makeFolder(name) }
        for name in ["outer/inner", "a", "b"] { try folder.overwrite("\(name)/file", "old") }
    }

    private static let scripts = [
        Script(
            "a file in the place of another",
            "watch file; replace file 1 = 1; replace file 2 = 2; replace file 3 = 3"
        ),
        Script("what is written over the file", "watch file; overwrite file 1 = 1; overwrite file 22 = 22"),
        Script(
            "a companion that is new, replaced and removed",
            """
            watch file; append .file.journal one = old + one; append .file.journal two = old + onetwo;
            replace .file.journal three = old + three; append .file.journal 4 = old + three4; remove .file.journal = old
            """
        ),
        Script(
            "a file that is removed and made again",
            "watch file; remove file = -; overwrite file 1 = 1; remove file = -; overwrite file 2 = 2"
        ),
        Script("a file that did not exist", "watch missing; overwrite missing new = new"),
        Script(
            "a file that is moved away and back",
            "watch file; rename file elsewhere = -; append elsewhere new; rename elsewhere file = oldnew"
        ),
        Script(
            "what is written to the file by another name",
            "name a/name file; watch file; append a/name 1 = old1; append a/name 2 = old12"
        ),
        // Folders on the way.
        Script(
            "a file in new folders",
            """
            watch one/two/three/file; folder one; folder one/two; folder one/two/three;
            overwrite one/two/three/file new = new; overwrite one/two/three/file newer = newer
            """
        ),
        Script(
            "an outer folder that is moved away and back",
            """
            watch outer/inner/file; rename outer away = -; overwrite away/inner/file 1; rename away outer = 1;
            rename outer away = -; overwrite away/inner/file 2; rename away outer = 2;
            append outer/inner/.file.journal new = 2 + new
            """
        ),
        Script(
            "an inner folder that is moved away and back",
            """
            watch outer/inner/file; rename outer/inner away = -; overwrite away/file 1; rename away outer/inner = 1;
            rename outer/inner away = -; overwrite away/file 2; rename away outer/inner = 2;
            append outer/inner/.file.journal new = 2 + new
            """
        ),
        Script(
            "folders that are removed and made again",
            """
            watch outer/inner/file; remove outer = -; folder outer; folder outer/inner; replace outer/inner/file 1 = 1;
            remove outer/inner = -; folder outer/inner; replace outer/inner/file 2 = 2; remove outer = -
            """
        ),
        Script(
            "a folder that takes the place of another",
            "folder next; overwrite next/file new; watch outer/inner/file; remove outer/inner/file; "
                + "rename next outer/inner = new"
        ),
        Script(
            "a file in the place of a folder, and the other way round",
            """
            watch outer/inner/file; rename outer/inner away; overwrite outer/inner text = -; remove outer/inner;
            rename away outer/inner = old
            """
        ),
        // A Kubernetes volume: the names lead through one link, which is replaced when all files are there.
        Script(
            "every new version of a ConfigMap",
            """
            remove file; link ..data a; link file ..data/file; watch file ..data/.file.journal;
            folder ..1; overwrite ..1/file 1; relink ..data ..1 = 1; remove a; append ..1/.file.journal x = 1 + x;
            folder ..2; overwrite ..2/file 2; relink ..data ..2 = 2; remove ..1; append ..2/.file.journal x = 2 + x
            """
        ),
        Script(
            "a link that leads elsewhere",
            """
            remove file; link file a/file; overwrite b/file in-b; watch file; relink file $/b/file = in-b;
            remove file = -; link file b/../a/./file = old; overwrite a/file new = new
            """
        ),
        Script(
            "changes behind a chain of links",
            """
            remove file; link current a; link a/link ../current/../b/file; link file current/link;
            watch b/../file b/.file.journal; replace b/file new = new; append b/.file.journal new = new + new;
            overwrite b/link text; relink current b = text + new
            """
        ),
        Script(
            "the file that a link to nothing names",
            "remove file; link file new/folder/file; watch file; folder new; folder new/folder; "
                + "overwrite new/folder/file new = new"
        ),
        Script(
            "the end of a loop of links",
            "remove file; link file other; link other file; watch file; relink other a/file = old"
        ),
    ]

    @Test(arguments: WatcherKind.allCases, scripts)
    func `a file watcher reports`(kind: WatcherKind, script: Script) async throws {
        try await WatchingReader.run(script.steps, in: folder, with: kind.watcher)
    }

    /// A folder that somebody has open lives on without a name, and is not reported to be gone.
    @Test(arguments: WatcherKind.allCases)
    func `a file watcher reports that an open folder was removed and made again`(kind: WatcherKind) async throws {
        let fileSystem = POSIXFileSystem()
        let open = try fileSystem.openFile(folder.path("outer/inner"), for: .folder)
        let steps = """
            watch outer/inner/file; remove outer/inner/file = -; remove outer/inner; folder outer/inner;
            overwrite outer/inner/file new = new
            """
        try await WatchingReader.run(steps, in: folder, with: kind.watcher)
        try fileSystem.closeFile(open)
    }

    @Test(arguments: WatcherKind.allCases)
    func `a file watcher notifies two stores with files in one folder of their own changes only`(kind: WatcherKind)
        async throws
    {
        let first = WatchingReader(folder.path("file"), with: kind.watcher)
        let second = WatchingReader(folder.path("second"), with: kind.watcher)
        try folder.overwrite("second", "new")
        try await second.reads("new")
        try folder.overwrite("file", "new")
        try await first.reads("new")
        first.cancel()
        try folder.replace("second", "newer")
        try await second.reads("newer")
    }

    @Test(arguments: WatcherKind.allCases)
    func `a file watcher notifies all stores with the same file`(kind: WatcherKind) async throws {
        let readers = (1...10).map { _ in WatchingReader(folder.path("file"), with: kind.watcher) }
        try folder.replace("file", "new")
        for reader in readers { try await reader.reads("new") }
    }

    /// Changes of all kinds in quick succession, each of which may fall into the watcher's dealing with the last one.
    @Test(.seeded, arguments: WatcherKind.allCases)
    func `a file watcher under many changes does not miss the last one`(kind: WatcherKind) async throws {
        for seed in SeededGenerator.seeds(TestLevel.current.pick(3, thorough: 10)) {
            try await follow(with: kind, seed)
        }
    }

    private func follow(with kind: WatcherKind, _ seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        for name in ["a", "b"] { try folder.makeFolder(name) }
        try folder.link("current", to: "a")
        try folder.link("file", to: "current/file")
        let reader = WatchingReader(folder.path("file"), companion: folder.path("none"), with: kind.watcher)
        var random = SeededGenerator(seed: seed)
        for round in 1...20 {
            for _ in 1...Int.random(in: 1...15, using: &random) { try change(folder, using: &random) }
            let text = "last of \(round) from \(seed)"
            // The target of the path changes last, in one of several ways.
            switch Int.random(in: 1...3, using: &random) {
            case 1: try folder.overwrite("current/file", text)
            case 2: try folder.replace("current/file", text)
            default:
                let next = Bool.random(using: &random) ? "a" : "b"
                try folder.replace("\(next)/file", text)
                try folder.replaceLink("current", to: next)
            }
            try await reader.reads(text)
        }
    }

    private func change(_ folder: TemporaryFolder, using random: inout SeededGenerator) throws {
        let name = Bool.random(using: &random) ? "a" : "b"
        switch Int.random(in: 1...6, using: &random) {
        case 1: try folder.overwrite("\(name)/file", "text")
        case 2: try folder.replace("\(name)/file", "other")
        case 3: try folder.replaceLink("current", to: name)
        case 4:
            try folder.rename(name, to: "away")
            try folder.rename("away", to: name)
        case 5:
            try folder.remove(name)
            try folder.makeFolder(name)
        default:
            try folder.remove("file")
            try folder.link("file", to: "current/file")
        }
    }
}
