import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@Suite(.heavy) struct ConcurrencyTests {
    private let folder = TemporaryFolder.forTest
    private let fileSystem = FaultyFileSystem()

    private func open(_ options: FileStoreOptions, queue: any WorkQueue = DispatchWorkQueue()) throws -> JSONFileStore {
        let seams = FileStoreSeams(fileSystem: fileSystem, queue: queue)
        return try JSONFileStore(path: folder.path("file.json"), options: options, seams: seams)
    }

    @Test func `a store of many threads shares saves between threads that synchronize`() async throws {
        let store = try JSONFileStore(
            path: folder.path("file.json"),
            options: .oneFile,
            seams: FileStoreSeams(fileSystem: fileSystem, queue: ManualWorkQueue())
        )
        try store.set("new")
        await withTaskGroup(of: Void.self) { group in
            for _ in 1...8 {
                group.addTask {
                    #expect(throws: Never.self) { try store.synchronize() }
                }
            }
        }
        #expect(fileSystem.calls.count { $0.call == .rename } == 1)
    }

    @Test func `a store of many threads has everything in its file after background saves and failures`() async throws {
        let store = try open(FileStoreOptions(saveDelay: .zero, journal: .none))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 1...4 {
                group.addTask {
                    for number in 1...500 { try store.set("\(number)", forKey: "writer \(writer)") }
                }
            }
            group.addTask {
                for call in 1...20 {
                    fileSystem.inject(.failure(call: call, errno: EIO))
                    await Task.yield()
                }
                fileSystem.inject(.none)
            }
            try await group.waitForAll()
        }
        try await store.synchronize()
        let saved = try folder.table()
        #expect(saved == ["writer 1": "500", "writer 2": "500", "writer 3": "500", "writer 4": "500"])
    }
}
