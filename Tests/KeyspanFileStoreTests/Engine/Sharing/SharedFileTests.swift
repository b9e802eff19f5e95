import Dispatch
@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Two processes, in turn, on one file.
@Suite struct SharedFileTests {
    private let folder: TemporaryFolder

    /// Each with a journal, each without, and one of each.
    private static let pairs: [[FileStoreOptions]] = [
        [FileStoreOptions(), FileStoreOptions()], [.oneFile, .oneFile], [FileStoreOptions(), .oneFile],
        [.oneFile, FileStoreOptions()],
        [FileStoreOptions(durability: .everyBatch), FileStoreOptions(recovery: .lastGoodCopy)],
    ]

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open(_ options: FileStoreOptions = FileStoreOptions()) throws -> ProcessDouble {
        try ProcessDouble(path: folder.path("file.json"), options: options)
    }

    @Test(arguments: pairs)
    func `a shared file keeps the keys of both`(pair: [FileStoreOptions]) throws {
        let (one, other) = (try open(pair[0]), try open(pair[1]))
        for number in 1...4 {
            try one.save(["one \(number)": 1])
            try other.save(["other \(number)": 2])
            if number == 3 { one.passTime() }
        }
        for process in [one, other, try open()] {
            process.look()
            #expect(process.store.snapshot().count == 8)
        }
    }

    @Test(arguments: pairs)
    func `a shared file has the value of a key that was saved last`(pair: [FileStoreOptions]) throws {
        let (one, other) = (try open(pair[0]), try open(pair[1]))
        try one.save(["key": "first"])
        try other.set(["key": "second"])
        try one.save(["key": "third"])
        try other.store.synchronize()
        let expected: PropertyListValue = pair[1].durability == .everyBatch ? "third" : "second"
        for process in [one, other, try open()] {
            process.look()
            #expect(process["key"] == expected)
        }
    }

    @Test(arguments: pairs)
    func `a shared file reports the other's change once, with old and new value`(
        pair: [FileStoreOptions]
    ) async throws {
        let (one, other) = (try open(pair[0]), try open(pair[1]))
        try one.save(["key": 1, "same": 1])
        other.look()
        let entries = Locked<[PropertyListChange.Entry]>([])
        let observation = other.store.observe(.all, initial: false) { change in
            entries.withLock { $0 += change.entries }
        }
        try one.save(["key": 2, "same": 1])
        other.look()
        other.look()
        one.passTime()
        other.look()
        try await eventually("the change is delivered") { !entries.withLock(\.isEmpty) }
        // This change comes after any that should not have been delivered.
        try other.set(["end": 3])
        try await eventually("the last change is delivered", entries.withLock { $0.last?.key }, is: "end")
        #expect(
            entries.withLock { $0 } == [
                PropertyListChange.Entry(key: "key", old: 1, new: 2),
                PropertyListChange.Entry(key: "end", old: nil, new: 3),
            ]
        )
        observation.cancel()
    }

    @Test(arguments: pairs, [true, false])
    func `a shared file notifies each observer by itself, so that one may wait for the other`(
        pair: [FileStoreOptions],
        isWriting: Bool
    ) async throws {
        let (one, other) = (try open(pair[0]), try open(pair[1]))
        let heard = DispatchSemaphore(value: 0)
        let results = Locked<[DispatchTimeoutResult]>([])
        let waiting = other.store.observe(.named(["a"]), initial: false) { _ in
            let result = heard.wait(timeout: .now() + .seconds(60))
            results.withLock { $0.append(result) }
        }
        let awaited = other.store.observe(.named(["b"]), initial: false) { _ in heard.signal() }
        try one.save(["a": 1, "b": 1])
        // A write that lets the change in is not held by its observers either.
        if isWriting { try other.save(["c": 1]) } else { other.look() }
        try await eventually("the waiting observer returns") { !results.withLock(\.isEmpty) }
        #expect(results.withLock(\.self) == [.success])
        waiting.cancel()
        awaited.cancel()
    }

    @Test(arguments: pairs)
    func `a shared file removes all that was there before, and keeps what comes after`(
        pair: [FileStoreOptions]
    ) throws {
        let (one, other) = (try open(pair[0]), try open(pair[1]))
        try one.save(["a": 1])
        other.look()
        try one.save(["b": 2])
        var batch = PropertyListBatch()
        batch.removeAll()
        batch.set(3, forKey: "c")
        try other.store.apply(batch)
        try other.store.synchronize()
        try one.save(["d": 4])
        other.look()
        for process in [one, other, try open()] {
            #expect(process.store.snapshot() == ["c": 3, "d": 4])
        }
    }

    @Test func `a shared file does not read the file again that the other made by a checkpoint`() throws {
        let fileSystem = FaultyFileSystem()
        let one = try open()
        let other = try ProcessDouble(path: folder.path("file.json"), fileSystem: fileSystem)
        try one.save(["key": 1])
        other.look()
        one.passTime()
        fileSystem.inject(.none)
        other.look()
        try one.save(["key": 2])
        other.look()
        #expect(other["key"] == 2)
        #expect(!fileSystem.calls.contains { $0.description == "open file.json" })
    }

    @Test func `a shared file shares its counter between processes whose every batch is durable`() throws {
        let options = FileStoreOptions(durability: .everyBatch)
        let processes = [try open(options), try open(options)]
        let counter = Defaults.Key<Int>("counter", default: 0)
        for number in 0..<20 {
            let defaults = Defaults(processes[number % 2].store)
            try defaults.commit { $0[counter] += 1 }
        }
        #expect(try open()["counter"] == 20)
    }

    @Test(arguments: pairs)
    func `a shared file loses nothing of a process that died`(pair: [FileStoreOptions]) throws {
        let gone = try open(pair[0])
        try gone.save(["key": 1, "other": [1, 2]])
        let next = try open(pair[1])
        #expect(next.store.snapshot() == ["key": 1, "other": [1, 2]])
        try next.save(["key": 2])
        next.passTime()
        #expect(try folder.table() == ["key": 2, "other": [1, 2]])
        withExtendedLifetime(gone) {}
    }

    @Test func `a shared file has everything in the readable file after a while, and a short journal`() throws {
        let process = try open()
        for number in 1...100 { try process.save(["key": .init(number)]) }
        #expect(!(try folder.names.contains("file.json")))
        process.passTime()
        #expect(try folder.bytes(of: "file.json") == JSONFileCodec().encode(["key": 100]))
        let journal = try folder.bytes(of: ".file.json.journal")
        #expect(WrittenJournal.withoutReserve(journal).count < 1000)
        #expect(journal.count <= 4096)
    }

    @Test func `a shared file checkpoints at once a journal that has outgrown the file`() throws {
        let process = try open()
        let value = PropertyListValue.data(.init(repeating: 7, count: 300_000))
        for number in 1...8 {
            try process.save(["key \(number % 2)": value, "number": .init(number)])
            process.passTime()
        }
        #expect(try folder.bytes(of: ".file.json.journal").count < 2_000_000)
    }

    @Test func `a shared file keeps a process out that has waited long enough, which loses nothing`() throws {
        var options = FileStoreOptions()
        options.lockTimeout = .milliseconds(20)
        let process = try open(options)
        try process.save(["key": 1])
        let fileSystem = POSIXFileSystem()
        let holder = try fileSystem.openFile(folder.path(".file.json.journal"), for: .updating)
        #expect(try fileSystem.lock(holder, exclusively: true))
        try process.set(["key": 2])
        let error = #expect(throws: StoreError.self) { try process.store.synchronize() }
        #expect((error?.underlying as? FileStoreError)?.step == .lock)
        #expect(process["key"] == 2)
        try fileSystem.closeFile(holder)
        try process.store.synchronize()
        #expect(try open()["key"] == 2)
    }

    @Test(arguments: [EACCES, EROFS])
    func `a shared file can be read by users who may not write it`(errno: Int32) throws {
        let writer = try open()
        try writer.save(["key": 1])
        let fileSystem = FaultyFileSystem()
        fileSystem.inject(.failureOfNext("open .file.json.journal", errno: errno))
        let reader = try ProcessDouble(path: folder.path("file.json"), fileSystem: fileSystem)
        #expect(reader["key"] == 1)
        #expect(reader.failures.isEmpty)
    }
}
