import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@Suite(.heavy) struct ConcurrencyTests {
    private let folder = TemporaryFolder.forTest
    private let fileSystem = FaultyFileSystem()

    private func open(_ options: FileStoreOptions, queue: any WorkQueue = BlockingQueue()) throws -> JSONFileStore {
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

    /// More files than Dispatch has threads for a process.
    @Test func `background saves to disks that do not answer hold up no other file`() async throws {
        func open(_ fileSystem: any FileSystem) throws -> JSONFileStore {
            try JSONFileStore(
                path: "/data/settings.json",
                options: FileStoreOptions(saveDelay: .zero),
                seams: FileStoreSeams(fileSystem: fileSystem, openEngines: OpenEngines())
            )
        }
        let gate = Gate()
        let stuck = try (0..<270).map { _ in
            let fileSystem = FaultyFileSystem(SimulatedDisk())
            let store = try open(fileSystem)
            fileSystem.inject(.interlude(before: .lstat) { gate.pass() })
            try store.set("new")
            return store
        }
        try await eventually("all disks are asked", gate.waitingCount, is: stuck.count)
        let healthy = try open(SimulatedDisk())
        try healthy.set("new")
        try await eventually("the other file is saved", healthy.unsavedKeys, is: [])
        #expect(gate.waitingCount == stuck.count)
        for _ in stuck { gate.open() }
        try await eventually("all files are saved") { stuck.allSatisfy { $0.unsavedKeys.isEmpty } }
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
