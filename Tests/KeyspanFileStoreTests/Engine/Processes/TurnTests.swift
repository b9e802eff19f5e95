#if os(macOS) || os(Linux) || os(FreeBSD)
import KeyspanCore
import KeyspanFileStore
import KeyspanFileStoreProcess
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Processes whose batches each wait for the disk, and therefore for one another.
@Suite(.heavy, .seeded, .serialized) struct TurnTests {
    @Test(arguments: [StoreMode.everyBatch, .oneFileEveryBatch])
    func `processes that take turns all make progress, whichever had the lock last`(mode: StoreMode) async throws {
        let folder = try TemporaryFolder()
        let (count, batches) = TestLevel.current.pick((2, 5), thorough: (4, 25), exhaustive: (8, 250))
        let processes = try (1...count).map { number in
            try StoreProcess(.writer, path: folder.path("settings.json"), mode: mode, name: "writer\(number)")
        }
        for process in processes { try await process.wait(for: Report.acknowledged) }
        // All of them compete from here on, and until each has made its batches.
        let before = processes.map { $0.lines(Report.acknowledged).count }
        for (process, count) in zip(processes, before) {
            try await process.wait(for: Report.acknowledged, count: count + batches)
        }
        for process in processes { try await process.finish(asking: SIGTERM) }
    }
}

/// A process that has the lock of the file and does not give it back.
@Suite(.heavy, .seeded, .serialized) struct LockHolderTests {
    private let folder = TemporaryFolder.forTest
    private var path: String { folder.path("settings.json") }

    @Test func `a stopped process with the lock keeps others waiting no longer than their limit`() async throws {
        let store = try JSONFileStore(path: path, options: StoreMode.impatient.options)
        try store.set("before")
        try await store.synchronize()
        let holder = try StoreProcess(.lockHolder, path: path)
        try await holder.wait(for: Report.ready)
        holder.send(SIGSTOP)

        try store.set("meanwhile")
        #expect(store.value(forKey: "key") == "meanwhile")
        let error = await #expect(throws: StoreError.self) { try await store.synchronize() }
        #expect(error?.code == .notDurable)
        #expect((error?.underlying as? FileStoreError)?.step == .lock)

        // A second store of this process would share the table; only another process asks for the lock.
        let opener = try StoreProcess(.sharedIncrementer, path: path, mode: .impatient, name: "n", count: 1)
        try await opener.finish(status: 1)
        #expect(opener.problems.contains("cannot lock the file"))

        try await holder.finish(asking: SIGKILL, status: 128 + SIGKILL)
        try await store.synchronize()
        try await StoreProcess(.sharedIncrementer, path: path, name: "n", count: 1).finish()
        #expect(try PlainFile.read(path)?["key"] == "meanwhile")
    }
}
#endif
