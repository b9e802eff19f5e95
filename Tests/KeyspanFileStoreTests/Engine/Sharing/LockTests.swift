import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// The lock of a file without a journal: an empty journal that a crash has left behind, or that somebody has just made.
@Suite struct SharedLockTests {
    private let folder = TemporaryFolder.forTest

    init() throws {
        try folder.write(fileBytes("old"), to: "file.json")
        try folder.write([], to: ".file.json.journal")
    }

    private func file() throws -> SharedFile {
        try SharedFile(
            path: folder.path("file.json"),
            codec: JSONFileCodec(),
            options: FileStoreOptions(journal: .none, lockTimeout: .zero),
            fileSystem: POSIXFileSystem()
        )
    }

    @Test func `the lock without a journal stays in place for the others when one of several readers is done`() throws {
        var (first, second, writer) = (try file(), try file(), try file())
        try first.lock(.shared)
        try second.lock(.shared)
        first.unlock()
        #expect(throws: FileStoreError.self) { try writer.lock(.exclusive) }
        second.unlock()
        try writer.lock(.exclusive)
        writer.unlock()
        #expect(try folder.names == ["file.json"])
    }

    @Test func `the lock without a journal is not taken from a writer by a late reader`() throws {
        var (late, writer, other) = (try file(), try file(), try file())
        try late.lock(.shared)
        try folder.remove(".file.json.journal")
        try writer.lock(.exclusive)
        late.unlock()
        #expect(throws: FileStoreError.self) { try other.lock(.exclusive) }
        writer.unlock()
        #expect(try folder.names == ["file.json"])
    }
}

/// Reads that do not wait for a process that has the lock.
@Suite struct UnlockedReadingTests {
    private let folder = TemporaryFolder.forTest
    private let fileSystem = FaultyFileSystem()
    private let writer: ProcessDouble

    init() throws {
        try folder.write(fileBytes("old"), to: "file.json")
        writer = try ProcessDouble(path: folder.path("file.json"))
        try writer.save(["gone": 1])
    }

    private func read(limit: Duration) throws -> ProcessDouble {
        var options = FileStoreOptions(journal: .none, lockTimeout: limit)
        options.locksToRead = false
        return try ProcessDouble(path: folder.path("file.json"), options: options, fileSystem: fileSystem)
    }

    @Test func `a reading has no value that a checkpoint between the journal and the file has removed`() throws {
        let (fileSystem, writer) = (fileSystem, writer)
        fileSystem.inject(
            .interlude(before: .pread) {
                fileSystem.inject(
                    .interlude(before: .read) {
                        try? writer.save(["gone": nil, "kept": 2])
                        writer.passTime()
                    }
                )
            }
        )
        let reader = try read(limit: .seconds(3_600))
        #expect(try folder.table()["kept"] == 2)
        #expect(reader["gone"] == nil && reader["kept"] == 2)
        #expect(reader.notices == [])
    }

    @Test func `a reading that a writer does not leave alone ends like a wait for the lock`() throws {
        let writer = writer
        fileSystem.inject(.interlude(before: .pread) { try? writer.save(["more": 2]) })
        let error = try #require(throws: FileStoreError.self) { try read(limit: .zero) }
        #expect(error.isTimeout)
        #expect(try read(limit: .zero)["more"] == 2)
    }
}

@Suite struct LockWaitTests {
    private let folder = TemporaryFolder.forTest
    private let fileSystem = FaultyFileSystem()

    init() throws {
        try folder.write(fileBytes("old"), to: "file.json")
    }

    private func file(limit: Duration = .seconds(3_600), in fileSystem: any FileSystem) throws -> SharedFile {
        try SharedFile(
            path: folder.path("file.json"),
            codec: JSONFileCodec(),
            options: FileStoreOptions(lockTimeout: limit),
            fileSystem: fileSystem
        )
    }

    /// The number of times that the system was asked for the lock, or was given it back.
    private var lockCalls: Int { fileSystem.calls.count { $0.call == .flock } }

    @Test(arguments: [FileLockMode.exclusive, .shared])
    func `waiting for a lock leaves the waiting to the kernel`(mode: FileLockMode) async throws {
        var holder = try file(in: POSIXFileSystem())
        try holder.lock(.exclusive)
        let end = Locked<Int?>(nil)
        let waiter = TestThread {
            #expect(throws: Never.self) {
                var waiter = try file(in: fileSystem)
                try waiter.lock(mode)
                end.withLock { $0 = lockCalls }
                waiter.unlock()
            }
        }
        try await eventually("the waiter has tried and waits", lockCalls) { $0 >= 2 }
        holder.unlock()
        waiter.join()
        // A further attempt would be a third call.
        #expect(end.withLock(\.self) == 2)
    }

    @Test func `waiting for a lock measures the limit by the clock, not by the pauses`() {
        // Each pause takes much longer than it was asked to, as on a busy machine.
        let patience = LockPatience(limit: .milliseconds(50)) { _ in LockPatience.stopThread(for: .milliseconds(20)) }
        var attempts = 0
        let isDone = patience.wait(until: LockPatience.now + patience.limit) {
            attempts += 1
            return false
        }
        #expect(!isDone)
        #expect(attempts <= 4)
    }

    @Test func `waiting for a lock ends at once for who has waited already while another thread did`() async throws {
        var holder = try file(in: POSIXFileSystem())
        try holder.lock(.exclusive)
        var waiter = try file(limit: .milliseconds(30), in: fileSystem)
        let before = LockPatience.now
        #expect(throws: FileStoreError.self) { try waiter.lock(.exclusive) }
        // The thread that waits in the kernel may come there after it was given up.
        try await eventually("the kernel is asked", lockCalls) { $0 >= 2 }
        fileSystem.inject(.none)
        waiter.askedAt = before
        #expect(throws: FileStoreError.self) { try waiter.lock(.exclusive) }
        #expect(lockCalls == 1)
        holder.unlock()
        waiter.askedAt = nil
        try waiter.lock(.exclusive)
        waiter.unlock()
    }

    @Test func `waiting for a lock leaves one open file behind, however often it is given up`() async throws {
        var holder = try file(in: POSIXFileSystem())
        try holder.lock(.exclusive)
        func giveUp() throws {
            var waiter = try file(limit: .milliseconds(10), in: fileSystem)
            #expect(throws: FileStoreError.self) { try waiter.lock(.exclusive) }
            waiter.closeJournal()
        }
        // On a busy machine the time may be over before a wait begins.
        try await eventually("a wait begins") {
            try giveUp()
            return openJournals > 0
        }
        for _ in 1...10 { try giveUp() }
        #expect(openJournals == 1)
        holder.unlock()
        // The one that was given up gets the lock now, and must not keep it.
        var next = try file(in: POSIXFileSystem())
        try next.lock(.exclusive)
        next.unlock()
        try await eventually("the wait that was given up ends", openJournals, is: 0)
    }

    /// The number of journals that the faulty file system has open.
    private var openJournals: Int {
        let calls = fileSystem.calls.filter { $0.path.hasSuffix(".journal") }
        return calls.count { $0.call == .open } - calls.count { $0.call == .close }
    }
}
