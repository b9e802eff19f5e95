import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// Changes of all kinds in quick succession, each of which may fall into the watcher's dealing with the last one.
@Suite(.timeLimit(.minutes(20)))
struct FileWatcherRaceTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(arguments: WatcherKind.allCases, 1...10)
    func `a file watcher under many changes does not miss the last one`(kind: WatcherKind, seed: Int) async throws {
        try folder.makeFolder("a")
        try folder.makeFolder("b")
        try folder.link("current", to: "a")
        try folder.link("file", to: "current/file")
        let reader = WatchingReader(folder.path("file"), companion: folder.path("none"), with: kind.watcher)
        var random = LinearGenerator(seed: UInt64(seed))
        for round in 1...20 {
            for _ in 1...Int.random(in: 1...15, using: &random) { try change(using: &random) }
            let text = "last of \(round)"
            // The target of the path changes last, in one of several ways.
            switch Int.random(in: 1...3, using: &random) {
            case 1:
                try folder.overwrite("current/file", text)
            case 2:
                try folder.replace("current/file", text)
            default:
                let next = Bool.random(using: &random) ? "a" : "b"
                try folder.replace("\(next)/file", text)
                try folder.replaceLink("current", to: next)
            }
            await reader.reads(text)
        }
    }

    private func change(using random: inout LinearGenerator) throws {
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

/// The same numbers for the same seed (Knuth's constants for MMIX).
private struct LinearGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 32
    }
}
