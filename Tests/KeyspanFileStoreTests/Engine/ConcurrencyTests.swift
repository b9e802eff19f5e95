import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@Suite(.heavy) struct ConcurrencyTests {
    private let folder = TemporaryFolder.forTest
    private let fileSystem = FaultyFileSystem()

    @Test func `a store of many threads has saved the writes of every thread when its synchronize returns`()
        async throws
    {
        let store = try JSONFileStore(
            path: folder.path("file.json"),
            options: .oneFile,
            seams: FileStoreSeams(fileSystem: fileSystem)
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 1...8 {
                group.addTask {
                    for number in 1...25 {
                        try store.set("\(number)", forKey: "writer \(writer)")
                        try store.synchronize()
                        let saved = try folder.table()
                        guard case .string(let text)? = saved["writer \(writer)"] else {
                            Issue.record("the key is missing in the file")
                            continue
                        }
                        #expect(text == "\(number)")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try folder.names == ["file.json"])
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
        let store = try JSONFileStore(
            path: folder.path("file.json"),
            options: FileStoreOptions(saveDelay: .zero, journal: .none),
            seams: FileStoreSeams(fileSystem: fileSystem)
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 1...4 {
                group.addTask {
                    for number in 1...500 {
                        try store.set("\(number)", forKey: "writer \(writer)")
                    }
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
