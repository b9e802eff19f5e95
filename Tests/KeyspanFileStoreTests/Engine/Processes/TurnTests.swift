#if os(macOS) || os(Linux) || os(FreeBSD)
import KeyspanCore
import KeyspanFileStore
import KeyspanFileStoreProcess
import KeyspanTesting
import Testing
import KeyspanTestSupport

/// Processes whose batches each wait for the disk, and therefore for one another.
@Suite(.heavy, .serialized, .timeLimit(.minutes(60)))
struct TurnTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(arguments: [StoreMode.everyBatch, .oneFileEveryBatch])
    func `processes that take turns all make progress, whichever had the lock last`(mode: StoreMode) async throws {
        let (count, total) = TestLevel.current.pick((4, 60), thorough: (4, 200), exhaustive: (8, 2_000))
        let processes = try (1...count).map { number in
            let path = folder.path("settings.json")
            return try StoreProcess(Invocation(.writer, path: path, mode: mode, name: "writer\(number)"))
        }
        func progress() throws -> [Int] {
            try processes.map { try $0.numbers(Report.acknowledged).last ?? 0 }
        }
        // All of them compete from here on.
        for process in processes { try await process.wait(for: Report.acknowledged) }
        let (before, begin) = (try progress(), SuspendingClock.now)
        var now = before
        while now.reduce(0, +) < before.reduce(0, +) + total {
            try await Task.sleep(for: .milliseconds(20))
            now = try progress()
        }
        let seconds = begin.duration(to: .now) / .seconds(1)
        let parts = zip(now, before).map { $0 - $1 }.sorted()
        let sum = parts.reduce(0, +)
        print("\(mode), \(count) processes: \(Int(Double(sum) / seconds)) batches in a second, of each \(parts)")
        for process in processes { try await process.finish(asking: SIGTERM) }
        // Far less than an equal part, because the machine may be busy with anything.
        #expect(try #require(parts.first) * 8 >= sum / count)
    }
}

/// A process that has the lock of the file and does not give it back.
@Suite(.heavy, .serialized, .timeLimit(.minutes(60)))
struct LockHolderTests {
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
        holder.send(SIGKILL)
        #expect(try await holder.wait() == .killed(SIGKILL))
        try store.set("after")
        try await store.synchronize()
        #expect(try JSONFileStore(path: path, options: mode.options).value(forKey: "key") == .string("after"))
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
        #expect(store.value(forKey: "key") == .string("meanwhile"))
        let error = await #expect(throws: StoreError.self) { try await store.synchronize() }
        #expect(error?.code == .notDurable)
        #expect((error?.underlying as? FileStoreError)?.step == .lock)

        // A second store of this process would share the table; only another process asks for the lock.
        let opener = try StoreProcess(Invocation(.keys, path: path, mode: .impatient, name: "opener", count: 1))
        #expect(try await opener.wait() == .exited(1))
        #expect(try opener.problems.contains("cannot lock the file"))

        holder.send(SIGKILL)
        #expect(try await holder.wait() == .killed(SIGKILL))
        try await store.synchronize()
        let reopened = try StoreProcess(Invocation(.keys, path: path, name: "opener", count: 1))
        try await reopened.finish()
        #expect(try #require(try PlainFile.read(path))["key"] == .string("meanwhile"))
    }

    private func holder(_ mode: StoreMode) async throws -> StoreProcess {
        let holder = try StoreProcess(Invocation(.lockHolder, path: path, mode: mode))
        try await holder.wait(for: Report.ready)
        return holder
    }
}
#endif
