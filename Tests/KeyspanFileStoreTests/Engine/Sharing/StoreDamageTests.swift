import Foundation
import KeyspanCore
import KeyspanFileStore
import KeyspanTesting
import Testing

/// Every truncation and every flipped bit of a file and of its journal.
@Suite
struct StoreDamageTests {
    private static let path = "/data/settings.json"
    private static let journal = "/data/.settings.json.journal"
    private static let batches = 5

    /// A disk with a file of many kinds of values, and a journal of some batches that are not in it.
    private static func makeDisk(
        _ options: FileStoreOptions = FileStoreOptions(),
        format: StoreFormat = .json
    ) throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        try disk.makeFolders("/data")
        let process = try ProcessDouble(path: path, format: format, options: options, fileSystem: disk)
        try process.save([
            "name": "Ann", "count": 3, "ratio": 0.5, "on": true, "list": [1, "two", ["deep": [3]]],
            "data": .data(.init(repeating: 7, count: 9)),
            // What XML holds, too.
            "date": .date(.init(timeIntervalSinceReferenceDate: 1)), "text": "ä \"quoted\" \\ \n",
        ])
        process.passTime()
        for number in 1...batches {
            let value = PropertyListValue.integer(PropertyListInteger(number))
            try process.save(["first": value, "second": value])
        }
        return disk.afterProcessesWereKilled()
    }

    private static func open(
        _ disk: SimulatedDisk,
        _ options: FileStoreOptions = FileStoreOptions(),
        format: StoreFormat = .json
    ) throws -> ProcessDouble {
        try ProcessDouble(path: path, format: format, options: options, fileSystem: disk)
    }

    /// The versions of some bytes with one bit flipped; a third of them if there is little time.
    private static func flips(of bytes: [UInt8]) -> [[UInt8]] {
        stride(from: 0, to: bytes.count * 8, by: TestLevel.current.pick(19, thorough: 3, exhaustive: 1)).map { bit in
            var damaged = bytes
            damaged[bit / 8] ^= 1 << (bit % 8)
            return damaged
        }
    }

    @Test(arguments: StoreFormat.allCases)
    func `a store whose files are damaged refuses every truncation of the file and leaves it, or recovers everything`(
        format: StoreFormat
    ) throws {
        let recovering = FileStoreOptions(recovery: .lastGoodCopy)
        let disk = try Self.makeDisk(recovering, format: format)
        let bytes = try #require(disk.bytes(of: Self.path))
        let whole = try Self.open(disk, format: format).store.snapshot()
        // Without the line feed at its end text is still whole.
        for count in 0..<bytes.count - (format == .binary ? 0 : 1) {
            let damaged = disk.afterProcessesWereKilled()
            try damaged.write(Array(bytes.prefix(count)), to: Self.path)
            do {
                _ = try Self.open(damaged, format: format)
                Issue.record("opens with \(count) bytes")
            } catch {
                #expect((error as? FileStoreError)?.step == .parse)
                #expect(damaged.bytes(of: Self.path) == Array(bytes.prefix(count)))
            }
            let recovered = try Self.open(damaged, recovering, format: format)
            try #require(recovered.store.snapshot() == whole, "of \(count) bytes")
            let kept = try damaged.names(inFolder: "/data").filter { $0.contains(".damaged-") }
            try #require(kept.count == 1)
            #expect(damaged.bytes(of: "/data/\(kept[0])") == Array(bytes.prefix(count)))
        }
    }

    @Test func `a store whose files are damaged never resets for a flipped bit of the file`() throws {
        let disk = try Self.makeDisk()
        let bytes = try #require(disk.bytes(of: Self.path))
        for damagedBytes in Self.flips(of: bytes) {
            let damaged = disk.afterProcessesWereKilled()
            try damaged.write(damagedBytes, to: Self.path)
            do {
                let table = try Self.open(damaged).store.snapshot()
                // The flip has changed one name or value, as a person might.
                #expect((9...11).contains(table.count))
                #expect(table["first"] == 5 && table["second"] == 5)
            } catch {
                #expect((error as? FileStoreError)?.step == .parse)
                #expect(damaged.bytes(of: Self.path) == damagedBytes)
            }
        }
    }

    @Test
    func `a store whose files are damaged loses only the last batches for a journal that is cut off, and says so`()
        throws
    {
        let disk = try Self.makeDisk()
        let bytes = WrittenJournal.withoutReserve(try #require(disk.bytes(of: Self.journal)))
        var seen: Set<Int> = []
        for count in 0..<bytes.count {
            let damaged = disk.afterProcessesWereKilled()
            try damaged.write(Array(bytes.prefix(count)), to: Self.journal)
            let process = try Self.open(damaged)
            seen.insert(try Self.lastBatch(process))
            #expect(process["name"] == "Ann")
            if !Self.isBorder(count, in: bytes) { #expect(process.notices == [.journalEndsEarly], "at \(count)") }
        }
        #expect(seen == Set(0..<Self.batches))
    }

    @Test
    func
        `a store whose files are damaged keeps a journal with a flipped bit, and never takes for written what was not`()
        throws
    {
        let disk = try Self.makeDisk()
        let whole = try #require(disk.bytes(of: Self.journal))
        let bytes = WrittenJournal.withoutReserve(whole)
        var refusals = 0
        for damagedRecords in Self.flips(of: bytes) {
            let damagedBytes = damagedRecords + whole.dropFirst(bytes.count)
            let damaged = disk.afterProcessesWereKilled()
            try damaged.write(damagedBytes, to: Self.journal)
            let process: ProcessDouble
            do {
                process = try Self.open(damaged)
            } catch {
                #expect((error as? FileStoreError)?.step == .readJournal)
                #expect(damaged.bytes(of: Self.journal) == damagedBytes)
                refusals += 1
                continue
            }
            // Only the last append can be one that was torn.
            #expect(try Self.lastBatch(process) == Self.batches - 1)
            #expect(process.notices == [.journalEndsEarly])
            #expect(process["name"] == "Ann")
            try process.save(["new": 1])
            let kept = try damaged.names(inFolder: "/data").filter { $0.contains(".journal.damaged-") }
            try #require(kept.count == 1)
            #expect(damaged.bytes(of: "/data/\(kept[0])") == damagedBytes)
            #expect(try Self.open(damaged)["new"] == 1)
        }
        #expect(refusals > 0)
    }

    @Test func `a store whose files are damaged opens a damaged journal if asked to recover`() throws {
        let disk = try Self.makeDisk()
        var bytes = try #require(disk.bytes(of: Self.journal))
        bytes[WrittenJournal.withoutReserve(bytes).count / 2] ^= 1
        try disk.write(bytes, to: Self.journal)
        let process = try Self.open(disk, FileStoreOptions(recovery: .lastGoodCopy))
        #expect(process["name"] == "Ann")
        try process.save(["new": 1])
        #expect(try Self.open(disk)["new"] == 1)
    }

    /// The last batch that a store has, which must be whole.
    private static func lastBatch(_ process: ProcessDouble) throws -> Int {
        try #require(process["first"] == process["second"])
        guard case .integer(let number)? = process["first"] else { return 0 }
        return try #require(number.converted(to: Int.self))
    }

    /// Whether a journal of so many bytes ends with a whole record, or has nothing at all.
    private static func isBorder(_ count: Int, in bytes: [UInt8]) -> Bool {
        guard count >= JournalHeader.length, let header = try? JournalHeader(bytes[...]) else { return count == 0 }
        let reading = JournalReading(bytes[JournalHeader.length..<count], from: header.start)
        return reading.rest == .nothing
    }
}
