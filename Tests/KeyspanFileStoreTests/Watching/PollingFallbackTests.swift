#if os(Linux)
import KeyspanFileStore
import Testing

@Suite(.timeLimit(.minutes(20)))
struct PollingFallbackTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.overwrite("file", "old")
    }

    private static let interval = Duration.milliseconds(2)

    private func reader(with calls: FaultyInotifyCalls) -> WatchingReader {
        WatchingReader(folder.path("file"), with: SystemFileWatcher(calls: calls, pollingInterval: Self.interval))
    }

    /// Follows a file through changes of all kinds.
    private func expectChanges(_ reader: WatchingReader) async throws {
        try folder.replace("file", "new")
        await reader.reads("new")
        try folder.append("journal", to: ".file.journal")
        await reader.reads("new", companion: "journal")
        try folder.remove("file")
        await reader.reads(nil, companion: "journal")
        try folder.overwrite("file", "newer")
        await reader.reads("newer", companion: "journal")
    }

    @Test(arguments: [EMFILE, ENFILE, ENOMEM])
    func `a file watcher without the help of the system reports that there are no more instances, and polls`(
        errno: Int32
    ) async throws {
        let reader = reader(with: FaultyInotifyCalls(.makeInstance(errno: errno)))
        #expect(reader.errors.count == 1)
        try await expectChanges(reader)
        #expect(reader.errors.count == 1)
        let error = try #require(reader.errors.first)
        #expect(error.path == folder.path("file"))
        #expect(error.interval == Self.interval)
        #expect((error.underlying as? SystemCallError)?.errorNumber == errno)
        if errno == EMFILE { #expect(error.remedy.contains("fs.inotify.max_user_instances")) }
    }

    @Test(
        arguments: [ENOSPC, ENOMEM, EACCES],
        [1, 2, 3]
    )
    func `a file watcher without the help of the system reports that there are no more watches, and polls`(
        errno: Int32,
        number: Int
    ) async throws {
        let reader = reader(with: FaultyInotifyCalls(.addWatch(number: number, errno: errno)))
        try await expectChanges(reader)
        #expect(reader.errors.count == 1)
        let error = try #require(reader.errors.first)
        if errno == ENOSPC { #expect(error.remedy.contains("fs.inotify.max_user_watches")) }
    }

    @Test func `a file watcher without the help of the system says so when the last watch is taken later`() async throws
    {
        let calls = FaultyInotifyCalls(.none)
        let reader = reader(with: calls)
        try folder.replace("file", "seen")
        await reader.reads("seen")
        #expect(reader.errors.isEmpty)
        calls.inject(.addWatch(number: 1, errno: ENOSPC))
        try folder.replace("file", "seen as well")
        await reader.reads("seen as well")
        try await expectChanges(reader)
        #expect(reader.errors.count == 1)
    }

    @Test
    func `a file watcher without the help of the system tries again to get the help of the system for the next file`()
        async throws
    {
        let calls = FaultyInotifyCalls(.makeInstance(errno: EMFILE))
        let watcher = SystemFileWatcher(calls: calls, pollingInterval: Self.interval)
        let first = WatchingReader(folder.path("file"), with: watcher)
        calls.inject(.none)
        let second = WatchingReader(folder.path("file"), with: watcher)
        #expect(first.errors.count == 1)
        #expect(second.errors.isEmpty)
    }

    @Test func `a file watcher without the help of the system can do without the watch of a file that cannot be read`()
        async throws
    {
        let folders = folder.path.split(separator: "/").count + 1
        let reader = reader(with: FaultyInotifyCalls(.addWatch(number: folders + 1, errno: EACCES)))
        try folder.overwrite("file", "new")
        await reader.reads("new")
        #expect(reader.errors.isEmpty)
    }

    @Test func `a file watcher without the help of the system says that the file is on a network file system`()
        async throws
    {
        let device = try POSIXFileSystem().status(ofItemAt: folder.path).signature.device
        let watcher = SystemFileWatcher(
            mountTable: { MountTable(remoteTypes: [device: "nfs4"]) },
            pollingInterval: Self.interval
        )
        let reader = WatchingReader(folder.path("file"), with: watcher)
        try await expectChanges(reader)
        #expect(reader.errors.count == 1)
        let error = try #require(reader.errors.first)
        #expect(error.reason.contains("nfs4"))
        #expect(
            "\(error)".hasPrefix(
                "\(folder.path("file")): cannot wait for changes, looks for them every 0.002 seconds: "
            )
        )
    }
}
#endif
