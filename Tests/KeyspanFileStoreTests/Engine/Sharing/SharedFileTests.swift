@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Two processes, in turn, on one file.
@Suite struct SharedFileTests {
    private let folder = TemporaryFolder.forTest

    /// Each with a journal, each without, and one of each.
    private static let pairs: [[FileStoreOptions]] = [
        [FileStoreOptions(), FileStoreOptions()], [.oneFile, .oneFile], [FileStoreOptions(), .oneFile],
        [.oneFile, FileStoreOptions()],
        [FileStoreOptions(durability: .everyBatch), FileStoreOptions(recovery: .lastGoodCopy)],
    ]

    private func open(_ options: FileStoreOptions = FileStoreOptions()) throws -> ProcessDouble {
        try ProcessDouble(path: folder.path("file.json"), options: options)
    }

    /// The processes do not end in peace, so the file is all that others have of them.
    @Test(arguments: pairs)
    func `a shared file keeps the keys of both, and loses nothing when they die`(pair: [FileStoreOptions]) throws {
        let (one, other) = (try open(pair[0]), try open(pair[1]))
        for number in 1...4 {
            try one.save(["one \(number)": 1])
            try other.save(["other \(number)": 2])
            if number == 3 { one.passTime() }
        }
        let next = try open(pair[1])
        for process in [one, other, next] {
            process.look()
            #expect(process.store.snapshot().count == 8)
        }
        try next.save(["one 1": 2])
        next.passTime()
        #expect(try folder.table() == next.store.snapshot())
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
    func `a shared file reports the other's change once`(pair: [FileStoreOptions]) async throws {
        let (one, other) = (try open(pair[0]), try open(pair[1]))
        try one.save(["key": 1, "same": 1])
        other.look()
        let entries = Recorder<PropertyListChange.Entry>()
        let observation = other.store.observe(.all, initial: false) { $0.entries.forEach { entries($0) } }
        try one.save(["key": 2, "same": 1])
        other.look()
        other.look()
        one.passTime()
        other.look()
        try await eventually("the change is delivered") { entries.count > 0 }
        // This change comes after any that should not have been delivered.
        try other.set(["end": 3])
        try await eventually("the last change is delivered", entries.last?.key, is: "end")
        #expect(entries.values == [.init(key: "key", old: 1, new: 2), .init(key: "end", old: nil, new: 3)])
        observation.cancel()
    }

    @Test(arguments: pairs, [true, false])
    func `a shared file notifies each observer by itself`(pair: [FileStoreOptions], isWriting: Bool) async throws {
        let (one, other) = (try open(pair[0]), try open(pair[1]))
        let isAwaited = Gate()
        let results = Recorder<Bool>()
        let waiting = other.store.observe(.named(["a"]), initial: false) { _ in
            results(isAwaited.pass())
        }
        let awaited = other.store.observe(.named(["b"]), initial: false) { _ in isAwaited.open() }
        try one.save(["a": 1, "b": 1])
        // A write that lets the change in is not held by its observers either.
        if isWriting { try other.save(["c": 1]) } else { other.look() }
        try await eventually("the waiting observer returns", results.values, is: [true])
        waiting.cancel()
        awaited.cancel()
    }

    @Test(arguments: pairs)
    func `a shared file keeps what comes after the removal of all`(pair: [FileStoreOptions]) throws {
        let (one, other) = (try open(pair[0]), try open(pair[1]))
        try one.save(["a": 1])
        other.look()
        try one.save(["b": 2])
        var batch = PropertyListBatch()
        batch.removeAll()
        batch.set(3, forKey: "c")
        try other.store.applyAndSynchronize(batch)
        try one.save(["d": 4])
        other.look()
        for process in [one, other, try open()] { #expect(process.store.snapshot() == ["c": 3, "d": 4]) }
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

    @Test func `a shared file has everything in the readable file after a while, and a short journal`() throws {
        let process = try open()
        for number in 1...100 { try process.save(["key": .init(number)]) }
        #expect(!folder.contains("file.json"))
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
