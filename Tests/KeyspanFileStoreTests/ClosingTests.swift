import Dispatch
@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import Testing

@Suite
struct ClosingTests {
    private let folder: TemporaryFolder
    private let fileSystem = FaultyFileSystem()
    private let tables = OpenEngines()

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(fileBytes("old"), to: "file.json")
    }

    private func open(_ options: FileStoreOptions = .oneFile) throws -> JSONFileStore {
        try JSONFileStore(
            path: folder.path("file.json"),
            options: options,
            seams: FileStoreSeams(fileSystem: fileSystem, queue: ManualWorkQueue(), openEngines: tables)
        )
    }

    /// Releases a store with something unsaved, and lets something happen on another thread when it begins to save.
    ///
    /// The save goes on when that is done, or if it waits for the save.
    private func release(_ store: consuming JSONFileStore, while other: @escaping @Sendable () -> Void) throws {
        try store.set("new")
        let begun = Locked(false)
        let done = Recorder<Void>()
        fileSystem.inject(
            .interlude(before: .lstat) {
                begun.withLock { $0 = true }
                DispatchQueue(label: "other").async {
                    other()
                    done.record(())
                }
                // The other thread may wait for this save, which nothing shows; the pace decides only which goes first.
                for _ in 0..<50 where done.count == 0 { usleep(1_000) }
            }
        )
        _ = consume store
        #expect(begun.withLock { $0 })
        eventually("the other thread is done") { done.count > 0 }
    }

    @Test func `a store that closes is waited for by an exit that comes meanwhile`() throws {
        let found = Locked<[UInt8]>([])
        try release(try open()) { [tables, folder] in
            tables.settleAll()
            // The process ends here.
            found.withLock { $0 = (try? folder.bytes(of: "file.json")) ?? [] }
        }
        #expect(found.withLock { $0 } == fileBytes("new"))
    }

    @Test func `a store that closes is shared by a store that is opened meanwhile`() throws {
        let found = Locked<(value: PropertyListValue?, store: JSONFileStore)?>(nil)
        try release(try open()) {
            do {
                let store = try open()
                found.withLock { $0 = (store.value(forKey: "key"), store) }
            } catch {
                Issue.record(error)
            }
        }
        let (value, store) = try #require(found.withLock { $0 })
        #expect(value == "new")
        // It is in use, so it was not closed by the one that has settled it.
        try store.set("newer")
        try store.synchronize()
        #expect(try folder.bytes(of: "file.json") == fileBytes("newer"))
        found.withLock { $0 = nil }
    }

    @Test func `a store that closes saves what a store wrote that was opened and released meanwhile`() throws {
        try release(try open()) {
            do {
                let store = try open()
                try store.set("newer")
            } catch {
                Issue.record(error)
            }
        }
        #expect(try folder.bytes(of: "file.json") == fileBytes("newer"))
        #expect(try open().value(forKey: "key") == "newer")
    }

    @Test(arguments: BackgroundWork.allCases)
    func `a store that closes does nothing afterwards, and keeps nothing open`(work: BackgroundWork) throws {
        let disk = SimulatedDisk()
        let queue = ManualWorkQueue()
        let table = try FileEngine(
            opening: SharedFile(
                path: "/file.json",
                codec: JSONFileCodec(),
                options: FileStoreOptions(),
                fileSystem: disk
            ),
            queue: queue,
            report: { _ in }
        )
        try table.apply(PropertyListBatch(.set("new", key: "key")), store: "store")
        table.fileMayHaveChanged()
        table.settle()
        table.fileMayHaveChanged()
        table.close()
        #expect(disk.openFileCount == 0)
        queue.fire()
        table.run(work)
        #expect(disk.openFileCount == 0)
    }

    @Test func `a store that closes leaves nothing open if it could not be opened`() throws {
        let disk = SimulatedDisk()
        let writer = try ProcessDouble(path: "/file.json", fileSystem: disk)
        try writer.save(["key": 1])
        let count = disk.openFileCount
        let faulty = FaultyFileSystem(disk)
        faulty.inject(.refusal(.pread, errno: EIO))
        for _ in 1...10 {
            #expect(throws: FileStoreError.self) { try ProcessDouble(path: "/file.json", fileSystem: faulty) }
        }
        #expect(disk.openFileCount == count)
        withExtendedLifetime(writer) {}
    }
}
