import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// A write that a store has acknowledged is on the disk, and one that it has refused is not.
@Suite struct AcknowledgedWriteTests {
    private static let path = "/data/settings.json"

    private let disk = SimulatedDisk()

    private func startWith(_ text: String) throws {
        try disk.write(Array(text.utf8), to: Self.path)
    }

    /// The increment of `n` from 1 to 2, if it is 1.
    private static let increment = PropertyListBatch.replacing(1, by: 2)

    /// The folder is flushed before there is a journal, which then needs a flush of its own.
    @Test(arguments: [FileStoreOptions(), FileStoreOptions(durability: .everyBatch)])
    func `the name of a journal survives a power failure with its first record`(options: FileStoreOptions) throws {
        try startWith(#"{"n": 1}"#)
        let process = try disk.process(options, on: disk)
        try process.store.synchronize()
        try process.save(["n": 2])
        for crash in disk.crashes() {
            let later = try ProcessDouble(path: Self.path, fileSystem: crash)
            #expect(later["n"] == 2)
        }
    }

    @Test(arguments: [FileStoreOptions(), FileStoreOptions(durability: .everyBatch)], [EMFILE, EIO, EACCES])
    func `a batch that depends on an unreadable file is refused`(options: FileStoreOptions, errno: Int32) throws {
        try startWith(#"{"n": 1}"#)
        let fileSystem = FaultyFileSystem(disk.startProcess())
        let first = try disk.process(options, on: fileSystem)
        try disk.process(.oneFile).store.applyAndSynchronize(Self.increment)
        fileSystem.inject(.failureOfNext("open settings.json", errno: errno))
        #expect(throws: StoreError.self) { try first.store.applyAndSynchronize(Self.increment) }
        fileSystem.inject(.none)
        #expect(try disk.process(options)["n"] == 2)
    }

    /// The system may write the bytes before the flush fails.
    @Test func `a batch whose flush failed does not come back after a power failure`() throws {
        let fileSystem = FaultyFileSystem(disk)
        let process = try disk.process(FileStoreOptions(durability: .everyBatch), on: fileSystem)
        for number in 1...3 { try process.set(["n": .init(number)]) }
        fileSystem.inject(.failureOfNext("fdatasync .settings.json.journal", errno: EIO))
        #expect(throws: StoreError.self) { try process.set(["n": 4]) }
        for crash in disk.crashes() { #expect(try ProcessDouble(path: Self.path, fileSystem: crash)["n"] == 3) }
    }

    @Test func `a batch that depends on a file which cannot be parsed is refused`() throws {
        try startWith(#"{"n": 1}"#)
        let process = try disk.process(FileStoreOptions())
        try startWith(#"{"n": "#)
        #expect(throws: StoreError.self) { try process.store.apply(Self.increment) }
        #expect(process["n"] == 1)
    }

    /// A record would continue the version that was replaced, so a reader of the new version would not apply it.
    @Test(arguments: [FileStoreOptions(), FileStoreOptions(durability: .everyBatch)], [true, false])
    func `a write is not acknowledged beside an unreadable new file`(
        options: FileStoreOptions,
        isReplacedByStore: Bool
    ) throws {
        try startWith(#"{"n": 1}"#)
        let fileSystem = FaultyFileSystem(disk.startProcess())
        let first = try disk.process(options, on: fileSystem)
        if isReplacedByStore { try disk.process(.oneFile).save(["n": 2]) } else { try startWith(#"{"n": 2}"#) }
        disk.passTime(60_000_000_000)
        fileSystem.inject(.failureOfNext("open settings.json", errno: EMFILE))
        #expect(throws: StoreError.self) { try first.save(["n": 7]) }
        fileSystem.inject(.none)
        try first.save(["n": 8])
        #expect(try disk.process(options)["n"] == 8)
    }

    @Test(arguments: [FileStoreOptions(durability: .everyBatch, journal: .none), .oneFile], [#"{"n": 1}"#, nil])
    func `a batch whose new version loses its flush has not happened`(options: FileStoreOptions, start: String?) throws
    {
        if let start { try startWith(start) }
        let fileSystem = FaultyFileSystem(disk)
        let process = try disk.process(options, on: fileSystem)
        if start != nil { try process.save(["x": 1]) }
        let other = try disk.process(options)
        let before: PropertyListValue? = start == nil ? nil : 1
        let batch = PropertyListBatch.replacing(before, by: 2)
        fileSystem.inject(.failureOfNext("fsync data", errno: EIO))
        #expect(throws: StoreError.self) { try process.store.apply(batch) }
        fileSystem.inject(.none)
        process.look()
        other.look()
        #expect(process["n"] == before && other["n"] == before)
        try process.store.apply(batch)
        try process.store.synchronize()
        #expect(try disk.process(options)["n"] == 2)
    }

    /// The flush that fails is that of the new journal's name; the file has not been touched.
    @Test func `a batch whose journal loses its flush leaves the file as it was written by hand`() throws {
        try startWith(#"{ "n" :1 }"#)
        let fileSystem = FaultyFileSystem(disk)
        let process = try disk.process(FileStoreOptions(durability: .everyBatch), on: fileSystem)
        fileSystem.inject(.failureOfNext("fsync data", errno: EIO))
        #expect(throws: StoreError.self) { try process.store.apply(Self.increment) }
        #expect(disk.bytes(of: Self.path) == Array(#"{ "n" :1 }"#.utf8))
        #expect(process["n"] == 1)
    }

    /// A write that changes nothing in memory may change the disk.
    @Test(arguments: FileStoreOptions.modes)
    func `writing the value that memory has replaces a later one of another process`(options: FileStoreOptions) throws {
        let (first, second) = (try disk.process(options), try disk.process(options))
        try first.save(["k": "v"])
        second.look()
        try second.save(["k": "w"])
        try first.save(["k": "v"])
        #expect(try disk.process(options)["k"] == "v")
    }

    @Test(arguments: FileStoreOptions.modes, [true, false])
    func `a removal removes what only another process has`(options: FileStoreOptions, isWhole: Bool) throws {
        let (first, second) = (try disk.process(options), try disk.process(options))
        try second.save(["k": "w"])
        var batch = PropertyListBatch()
        if isWhole { batch.removeAll() } else { batch.remove("k") }
        try first.store.applyAndSynchronize(batch)
        #expect(try disk.process(options)["k"] == nil)
    }

    @Test(arguments: FileStoreOptions.modes)
    func `writing the value in force corrects one that a validation has rejected`(options: FileStoreOptions) throws {
        struct Rejection: Error {}
        try startWith(#"{"n": 1}"#)
        let first = try disk.process(options, validate: { if $0["n"] == 13 { throw Rejection() } })
        try disk.process(options).save(["n": 13])
        first.look()
        #expect(first["n"] == 1)
        try first.save(["n": 1])
        #expect(try disk.process(options)["n"] == 1)
    }

    /// The validator holds a weak reference to the owner of the store, and has made it strong while the owner let go.
    @Test func `a store that a validation releases saves its last writes`() throws {
        let (queue, watcher) = (ManualWorkQueue(), ManualFileWatcher())
        let isReleasing = Locked(false)
        let owned = Locked<JSONFileStore?>(nil)
        let store = try JSONFileStore(
            path: Self.path,
            validate: { _ in
                guard isReleasing.withLock(\.self) else { return }
                withExtendedLifetime(owned.withLock { $0.take() }) {}
            },
            seams: .manual(disk.startProcess(), queue: queue, watcher: watcher) { Issue.record("\($0)") }
        )
        owned.withLock { $0 = store }
        try disk.process(FileStoreOptions()).save(["other": 1])
        try #require(owned.withLock { $0 }).set("mine", forKey: "key")
        isReleasing.withLock { $0 = true }
        _ = consume store
        watcher.tell()
        for _ in 0..<3 { queue.fire() }
        #expect(owned.withLock { $0 == nil })
        #expect(try disk.process(FileStoreOptions())["key"] == "mine")
    }
}
