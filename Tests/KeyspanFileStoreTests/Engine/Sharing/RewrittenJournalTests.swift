import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// A journal that lost bytes gets other records in their place, which processes that have read the lost ones must recognize.
@Suite struct RewrittenJournalTests {
    private static let path = "/data/settings.json"
    private static let journal = "/data/.settings.json.journal"
    private static let long = PropertyListValue.string(String(repeating: "x", count: 300))

    private static let everyBatch = FileStoreOptions(durability: .everyBatch)

    private let disk = SimulatedDisk()

    init() throws {
        try disk.write(Array(#"{"n": 1}"#.utf8), to: Self.path)
    }

    private func replaceEndOfJournal(by bytes: [UInt8] = []) throws {
        let journal = WrittenJournal.withoutReserve(try #require(disk.bytes(of: Self.journal)))
        try disk.write(journal.dropLast(5) + bytes, to: Self.journal)
    }

    /// The two processes go on after the loss; a third one must find everything that they have acknowledged.
    @Test(arguments: [true, false])
    func `records in the place of lost ones are seen by a reader of the lost ones`(isRemoved: Bool) throws {
        let (first, second) = (try disk.process(Self.everyBatch), try disk.process(Self.everyBatch))
        try first.set(["a": 1])
        try first.set(["b": 2])
        second.look()
        if isRemoved { try disk.removeFile(Self.journal) } else { try replaceEndOfJournal() }
        try first.set(["x": Self.long])
        try second.set(["y": 1])
        let third = try disk.process(Self.everyBatch)
        #expect(second["x"] == Self.long)
        #expect(third["x"] == Self.long && third["y"] == 1 && third["a"] == 1 && third["b"] == 2)
    }

    /// Whoever opens the file reads only up to the damage, so a write behind it would be lost.
    @Test(arguments: [100, 3000], [false, true])
    func `a write follows no record that was damaged`(size: Int, looks: Bool) throws {
        let first = try disk.process(Self.everyBatch)
        try first.set(["a": 1])
        try first.set(["b": .string(String(repeating: "b", count: size))])
        var journal = try #require(disk.bytes(of: Self.journal))
        journal[WrittenJournal.withoutReserve(journal).count - 10] ^= 1
        try disk.write(journal, to: Self.journal)
        if looks { first.look() }
        try first.set(["c": 3])
        let second = try disk.process(Self.everyBatch)
        #expect(second.store.snapshot() == first.store.snapshot())
        #expect(second["c"] == 3 && second["a"] == 1)
    }

    /// The journal stays shorter than the part of it that the second process has read.
    @Test func `records of a shorter journal are seen by a reader of the longer one`() throws {
        let (first, second) = (try disk.process(Self.everyBatch), try disk.process(Self.everyBatch))
        try first.set(["a": 1])
        try first.set(["b": .string(String(repeating: "b", count: 600))])
        second.look()
        try replaceEndOfJournal()
        try first.set(["b": nil])
        try first.set(["x": 1])
        try second.set(["y": 1])
        let third = try disk.process(Self.everyBatch)
        #expect(second["x"] == 1 && second["b"] == nil)
        #expect(third["x"] == 1 && third["b"] == nil && third["y"] == 1)
    }

    /// A process that did not know the lost record continues the journal without naming the version of the file.
    @Test func `records of a process that never saw the lost ones are seen by one that did`() throws {
        let (first, second) = (try disk.process(Self.everyBatch), try disk.process(Self.everyBatch))
        try first.set(["a": 1])
        try first.set(["a": 2])
        second.look()
        try replaceEndOfJournal()
        let newcomer = try disk.process(Self.everyBatch)
        #expect(newcomer["a"] == 1)
        try newcomer.set(["x": Self.long])
        try second.set(["y": 1])
        let third = try disk.process(Self.everyBatch)
        #expect(second["x"] == Self.long && second["a"] == 2)
        #expect(third["x"] == Self.long && third["y"] == 1 && third["a"] == 2)
    }

    @Test func `bytes that a failed flush loses beside a reader cost no acknowledged write`() throws {
        let fileSystem = FaultyFileSystem(disk.startProcess())
        let first = try disk.process(.unhurried, on: fileSystem)
        let second = try disk.process(.unhurried)
        try first.save(["a": 1])
        // Visible to others before it is flushed.
        try first.store.apply(.replacing(nil, by: 1, key: "b"))
        second.look()
        #expect(second["b"] == 1)

        fileSystem.inject(.failureOfNext("fdatasync .settings.json.journal", errno: EIO))
        #expect(throws: StoreError.self) { try first.store.synchronize() }
        fileSystem.inject(.none)
        try replaceEndOfJournal(by: [0, 0, 0, 0, 0])
        try first.store.synchronize()
        try first.save(["x": Self.long])
        try second.save(["y": 1])
        let third = try disk.process(.unhurried)
        #expect(third["x"] == Self.long && third["b"] == 1 && third["y"] == 1)
    }

    /// The record that repeats everything also repeats the removal that was lost.
    @Test func `a removal that a failed flush loses stays a removal for a process that never saw it`() throws {
        let fileSystem = FaultyFileSystem(disk.startProcess())
        let first = try disk.process(.unhurried, on: fileSystem)
        let second = try disk.process(.unhurried)
        try first.save(["a": 1])
        second.look()
        #expect(second["a"] == 1)
        try loseUnflushedRecord(of: first, on: fileSystem, removing: "a")
        try first.store.synchronize()
        second.look()
        #expect(second["a"] == nil)
        try second.save(["y": 1])
        let third = try disk.process(.unhurried)
        #expect(third["a"] == nil && third["y"] == 1)
    }

    @Test func `values that the disk has lost are not acknowledged while the file cannot be read`() throws {
        let fileSystem = FaultyFileSystem(disk.startProcess())
        let process = try disk.process(.unhurried, on: fileSystem)
        try process.save(["a": 1])
        try loseUnflushedRecord(of: process, on: fileSystem, removing: "a")
        try disk.write(Array(#"{"n": 2}"#.utf8), to: Self.path)
        fileSystem.inject(.failureOfNext("open settings.json", errno: EACCES))
        #expect(throws: StoreError.self) { try process.store.synchronize() }
        fileSystem.inject(.none)
        try process.store.synchronize()
        #expect(try disk.process(.unhurried)["n"] == 2)
    }

    /// Lets a process append a removal whose flush fails, and whose bytes the system then loses.
    private func loseUnflushedRecord(
        of process: ProcessDouble,
        on fileSystem: FaultyFileSystem,
        removing key: String
    ) throws {
        try process.store.apply(.replacing(1, by: nil, key: key))
        fileSystem.inject(.failureOfNext("fdatasync .settings.json.journal", errno: EIO))
        #expect(throws: StoreError.self) { try process.store.synchronize() }
        try replaceEndOfJournal(by: [0, 0, 0, 0, 0])
        fileSystem.inject(.failureOfNext("fdatasync .settings.json.journal", errno: EIO))
        #expect(throws: StoreError.self) { try process.store.synchronize() }
        fileSystem.inject(.none)
    }

    /// The checkpoint is of records in the place of those that the second process knows.
    @Test func `a checkpoint of rewritten records is not taken for one of the known records`() throws {
        let options = FileStoreOptions(durability: .everyBatch, journal: .beside(checkpointDelay: .zero))
        let (first, second) = (try disk.process(options), try disk.process(options))
        try first.set(["a": 1])
        try first.set(["b": .string(String(repeating: "b", count: 600))])
        second.look()
        try replaceEndOfJournal()
        try first.set(["b": nil])
        first.passTime()
        disk.passTime(60_000_000_000)
        try second.set(["y": 1])
        let third = try disk.process(options)
        #expect(second["b"] == nil)
        #expect(third["b"] == nil && third["y"] == 1 && third["a"] == 1)
    }
}
