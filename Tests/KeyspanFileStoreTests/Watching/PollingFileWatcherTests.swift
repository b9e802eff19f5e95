import KeyspanFileStore
import Testing

@Suite("A polling file watcher", .timeLimit(.minutes(20)))
struct PollingFileWatcherTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.overwrite("file", "old")
    }

    /// A second write of the same length within one tick of the clock leaves the same signature.
    @Test func `tells once more after each change`() async throws {
        let reader = WatchingReader(folder.path("file"), with: PollingFileWatcher())
        await reader.reads("old")
        try folder.replace("file", "new")
        await reader.reads("new")
        await reader.reads("new")
    }

    @Test func `does not tell of other files in the folder`() async throws {
        let reader = WatchingReader(folder.path("file"), with: PollingFileWatcher())
        let other = WatchingReader(folder.path("other"), with: PollingFileWatcher())
        await reader.reads("old")
        for number in 1...20 {
            try folder.replace("other", "\(number)")
            await other.reads("\(number)")
        }
        #expect(reader.readings.count == 1)
    }
}
