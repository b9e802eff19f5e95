#if os(macOS) || os(Linux) || os(FreeBSD)
import KeyspanCore
import KeyspanFileStore
import KeyspanFileStoreProcess
import Testing

/// A process that has the lock of the file and does not give it back.
@Suite("A process that holds the lock", .serialized, .timeLimit(.minutes(60)))
struct LockHolderTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("settings.json")
    }

    @Test(arguments: [StoreMode.grouped, .oneFile])
    func `is no obstacle once it is dead`(mode: StoreMode) async throws {
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

    @Test func `keeps others waiting no longer than they want to when it is stopped`() async throws {
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
