@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import Testing

#if os(Linux)
@Suite
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

    /// Follows a file through changes of all kinds, and returns the one error of its watch.
    private func followChanges(_ reader: WatchingReader) async throws -> FileWatchError {
        try folder.replace("file", "new")
        try await reader.reads("new")
        try folder.append("journal", to: ".file.journal")
        try await reader.reads("new", companion: "journal")
        try folder.remove("file")
        try await reader.reads(nil, companion: "journal")
        try folder.overwrite("file", "newer")
        try await reader.reads("newer", companion: "journal")
        #expect(reader.errors.count == 1)
        return try #require(reader.errors.first)
    }

    @Test(
        arguments: [
            (.makeInstance(errno: EMFILE), EMFILE), (.makeInstance(errno: ENFILE), ENFILE),
            (.makeInstance(errno: ENOMEM), ENOMEM), (.addWatch(number: 1, errno: ENOSPC), ENOSPC),
            (.addWatch(number: 2, errno: ENOSPC), ENOSPC), (.addWatch(number: 3, errno: ENOSPC), ENOSPC),
            (.addWatch(number: 2, errno: ENOMEM), ENOMEM), (.addWatch(number: 3, errno: EACCES), EACCES),
        ] as [(FaultyInotifyCalls.Fault, Int32)]
    )
    func `a file watcher without the help of the system reports that there are no more instances or watches, and polls`(
        fault: FaultyInotifyCalls.Fault,
        errno: Int32
    ) async throws {
        let error = try await followChanges(reader(with: FaultyInotifyCalls(fault)))
        #expect(error.path == folder.path("file"))
        #expect(error.interval == Self.interval)
        #expect((error.underlying as? SystemCallError)?.errorNumber == errno)
        if errno == EMFILE { #expect(error.remedy.contains("fs.inotify.max_user_instances")) }
        if errno == ENOSPC { #expect(error.remedy.contains("fs.inotify.max_user_watches")) }
    }

    @Test func `a file watcher without the help of the system says so when the last watch is taken later`() async throws
    {
        let calls = FaultyInotifyCalls(.none)
        let reader = reader(with: calls)
        try folder.replace("file", "seen")
        try await reader.reads("seen")
        #expect(reader.errors.isEmpty)
        calls.inject(.addWatch(number: 1, errno: ENOSPC))
        try folder.replace("file", "seen as well")
        try await reader.reads("seen as well")
        _ = try await followChanges(reader)
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
        try await reader.reads("new")
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
        let error = try await followChanges(reader)
        #expect(error.reason.contains("nfs4"))
        #expect(
            "\(error)".hasPrefix(
                "\(folder.path("file")): cannot wait for changes, looks for them every 0.002 seconds: "
            )
        )
    }
}
#endif

@Suite
struct PollingFileWatcherTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.overwrite("file", "old")
    }

    /// A second write of the same length within one tick of the clock leaves the same signature.
    @Test func `a polling file watcher reports once more after each change`() async throws {
        let reader = WatchingReader(folder.path("file"), with: PollingFileWatcher())
        try await reader.reads("old")
        try folder.replace("file", "new")
        try await reader.reads("new")
        try await reader.reads("new")
    }

    @Test func `a polling file watcher does not report other files in the folder`() async throws {
        let reader = WatchingReader(folder.path("file"), with: PollingFileWatcher())
        let other = WatchingReader(folder.path("other"), with: PollingFileWatcher())
        try await reader.reads("old")
        for number in 1...20 {
            try folder.replace("other", "\(number)")
            try await other.reads("\(number)")
        }
        #expect(reader.readings.count == 1)
    }
}

#if os(Linux)
@Suite
struct MountTableTests {
    private static let information = """
        22 27 0:21 / /proc rw,relatime - proc proc rw
        27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
        40 27 0:45 / /home rw,relatime shared:12 master:3 - nfs4 server:/home rw,vers=4.2
        41 27 0:300 / /mnt/sshfs rw - fuse.sshfs user@host: rw
        42 27 8:2 / /mnt/windows rw - fuseblk /dev/sda2 rw
        43 27 0:46 / /mnt/with\\040space rw - cifs //server/share rw
        45 27 0:48 \u{301}a \u{200D}b \u{301}c - nfs \u{301}server rw
        46 27 0:49 / /mnt/a rw - tmpfs \u{301} rw
        47 27 0:50 / /mnt/b rw - smb3 a rw
        broken line
        44 27
        """

    @Test(
        arguments: [
            (0x2D, "nfs4"), (0x10_002C, "fuse.sshfs"), (0x2E, "cifs"), (0x30, "nfs"), (0x31, nil), (0x32, "smb3"),
            (0xFE00, nil), (0x15, nil), (0x802, nil),
        ] as [(UInt64, String?)]
    )
    func `a table of mounted file systems knows the remote ones by their devices`(device: UInt64, type: String?) {
        #expect(MountTable(information: Self.information).remoteType(among: [1, device, 2]) == type)
    }

    @Test func `a table of mounted file systems reads that of the process`() throws {
        let device = try POSIXFileSystem().status(ofItemAt: "/proc").signature.device
        #expect(MountTable.current().remoteType(among: [device]) == nil)
    }
}
#endif
