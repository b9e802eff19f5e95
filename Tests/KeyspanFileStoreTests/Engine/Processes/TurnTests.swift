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
        print("\(mode): \(zip(processes, before).map { $0.lines(Report.acknowledged).count - $1 }) batches")
        for process in processes { try await process.finish(asking: SIGTERM) }
    }
}

/// A process that has the lock of the file and does not give it back.
@Suite(.heavy, .seeded, .serialized) struct LockHolderTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("settings.json")
    }

    @Test(arguments: [StoreMode.grouped, .oneFile])
    func `a process that holds the lock does not hinder others once it is dead`(mode: StoreMode) async throws {
        let store = try JSONFileStore(path: path, options: mode.options)
        try store.set("before")
        try await store.synchronize()
        let holder = try await holder(mode)
        try await holder.finish(asking: SIGKILL, status: 128 + SIGKILL)
        try store.set("after")
        try await store.synchronize()
        #expect(try JSONFileStore(path: path, options: mode.options).value(forKey: "key") == "after")
    }

    @Test func `a process that holds the lock keeps others waiting no longer than their limit when it is stopped`()
        async throws
    {
        let store = try JSONFileStore(path: path, options: StoreMode.impatient.options)
        try store.set("before")
        try await store.synchronize()
        let holder = try await holder(.grouped)
        holder.send(SIGSTOP)

        try store.set("meanwhile")
        #expect(store.value(forKey: "key") == "meanwhile")
        let error = await #expect(throws: StoreError.self) { try await store.synchronize() }
        #expect(error?.code == .notDurable)
        #expect((error?.underlying as? FileStoreError)?.step == .lock)

        // A second store of this process would share the table; only another process asks for the lock.
        let opener = try StoreProcess(.keys, path: path, mode: .impatient, name: "opener", count: 1)
        try await opener.finish(status: 1)
        #expect(opener.problems.contains("cannot lock the file"))

        try await holder.finish(asking: SIGKILL, status: 128 + SIGKILL)
        try await store.synchronize()
        try await StoreProcess(.keys, path: path, name: "opener", count: 1).finish()
        #expect(try PlainFile.read(path)?["key"] == "meanwhile")
    }

    private func holder(_ mode: StoreMode) async throws -> StoreProcess {
        let holder = try StoreProcess(.lockHolder, path: path, mode: mode)
        try await holder.wait(for: Report.ready)
        return holder
    }
}
#endif
