import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import Testing

@Suite struct RefreshTests {
    private let folder = TemporaryFolder.forTest
    private let fileSystem = FaultyFileSystem()
    private let timer = ManualWorkQueue()
    private let watcher = ManualFileWatcher()

    private func open(
        _ options: FileStoreOptions = FileStoreOptions(),
        report: @escaping @Sendable (FileReport) -> Void = { _ in }
    ) throws -> JSONFileStore {
        let seams = FileStoreSeams.manual(fileSystem, queue: timer, watcher: watcher, report: report)
        return try JSONFileStore(path: folder.path("file.json"), options: options, seams: seams)
    }

    private var other: ProcessDouble {
        get throws { try ProcessDouble(path: folder.path("file.json")) }
    }

    @Test func `background work does not write what a process read that was opened before there was a journal`() throws
    {
        let (first, second) = (try other, try other)
        try first.save(["a": 1, "b": 2])
        let journal = try folder.bytes(of: ".file.json.journal")
        second.look()
        #expect(second["b"] == 2)
        #expect(try folder.bytes(of: ".file.json.journal") == journal)
        try second.save(["c": 3])
        first.look()
        #expect(first["c"] == 3)
        first.passTime()
        #expect(try ProcessDouble(path: folder.path("file.json")).store.snapshot() == ["a": 1, "b": 2, "c": 3])
    }

    @Test func `background work locks the file after others' writes, and not after the process's own`() throws {
        let options = FileStoreOptions(durability: .everyBatch)
        let process = try ProcessDouble(path: folder.path("file.json"), options: options, fileSystem: fileSystem)
        // The look after opening.
        process.passMoment()
        for number in 1...3 {
            try process.set(["key": .init(number)])
            fileSystem.inject(.none)
            let response = process.noticeAppend()
            #expect(response.isResting)
            let look = try #require(response.look)
            look()
            #expect(!fileSystem.calls.contains { $0.call == .flock })
        }
        try other.save(["key": 4])
        let look = try #require(process.noticeAppend().look)
        look()
        #expect(process["key"] == 4)
    }

    @Test func `background work reads a change that comes at the end of a refresh which had failed before`() throws {
        let other = try other
        try other.save(["key": 1])
        let onReport = Locked<(@Sendable () -> Void)?>(nil)
        let store = try open { _ in
            onReport.withLock { action in
                defer { action = nil }
                return action
            }?()
        }
        timer.fire()
        fileSystem.inject(.failureOfNext("pread .file.json.journal", errno: EIO))
        watcher.tell()
        timer.fire()
        fileSystem.inject(.none)
        // The next refresh reports after it has read, and before it ends.
        let journal = WrittenJournal.withoutReserve(try folder.bytes(of: ".file.json.journal"))
        try folder.write(journal + [1], to: ".file.json.journal")
        onReport.withLock { action in
            action = { [watcher] in
                #expect(throws: Never.self) { try other.save(["key": 2]) }
                watcher.tell()
            }
        }
        timer.fire()
        #expect(onReport.withLock { $0 == nil })
        timer.fire()
        #expect(store.value(forKey: "key") == 2)
    }

    @Test func `background work does not read again what a write has read`() throws {
        let store = try open(FileStoreOptions(durability: .everyBatch))
        timer.fire()
        let other = try other
        try other.save(["other": 1])
        watcher.tell()
        try store.set("own")
        #expect(store.value(forKey: "other") == 1)
        fileSystem.inject(.none)
        timer.fire()
        // Only the fold takes the lock and gives it back.
        #expect(fileSystem.calls.count { $0.call == .flock } == 2)
        try other.save(["other": 2])
        watcher.tell()
        timer.fire()
        #expect(store.value(forKey: "other") == 2)
    }

    @Test func `background work leaves what a failed save has read where all can see it`() throws {
        let store = try open()
        timer.fire()
        let other = try other
        try other.save(["other": 1])
        watcher.tell()
        try store.set("own")
        fileSystem.inject(.refusal(.fdatasync, errno: EIO))
        #expect(throws: StoreError.self) { try store.synchronize() }
        timer.fire()
        #expect(store.value(forKey: "other") == 1)
        fileSystem.inject(.none)
    }

    @Test func `background work does not checkpoint again a checkpoint of another process`() throws {
        let store = try open()
        timer.fire()
        try store.set("own")
        try store.synchronize()
        let other = try other
        try other.save(["other": 1])
        other.passTime()
        try other.save(["other": 2])
        fileSystem.inject(.none)
        timer.fire()
        #expect(fileSystem.calls.count { $0.call == .rename } == 0)
        timer.fire()
        #expect(fileSystem.calls.count { $0.call == .rename } == 1)
        #expect(try folder.table() == ["key": "own", "other": 2])
    }
}
