import KeyspanCore
import KeyspanFileStore
import KeyspanTesting
import Testing

/// Each bit of each byte of a journal, flipped: the header, the heads of all records and their payloads.
@Suite
struct JournalBitTests {
    private static let path = "/data/settings.json"
    private static let journal = "/data/.settings.json.journal"

    /// The history of a journal with acknowledged records.
    struct Journal: Sendable, CustomTestStringConvertible {
        /// Whether the store has folded before, so that the journal begins with records of that.
        var followsFold = false
        /// The number of records with a write that follow.
        var count = 3
        /// The value of each.
        var value: PropertyListValue = 1

        var testDescription: String {
            "\(count) records\(followsFold ? " after a fold" : "")\(value == 1 ? "" : ", large")"
        }

        static let all = [
            Journal(), Journal(followsFold: true), Journal(count: 1), Journal(count: 2),
            Journal(value: .string(String(repeating: "settings ", count: 40))),
        ]
    }

    private static func makeDisk(_ journal: Journal) throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        try disk.makeFolders("/data")
        let process = try ProcessDouble(path: path, fileSystem: disk)
        if journal.followsFold {
            try process.save(["old": 1])
            process.passTime()
        }
        for number in 1...journal.count { try process.save(["key \(number)": journal.value]) }
        return disk.afterProcessesWereKilled()
    }

    /// The offsets of a journal's records.
    private static func starts(in bytes: [UInt8]) throws -> [Int] {
        let header = try JournalHeader(bytes[...])
        var starts = [header.start.offset]
        while let last = starts.last, last < bytes.count {
            let length = bytes[last..<last + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
            starts.append(last + 12 + length)
        }
        return starts.dropLast()
    }

    @Test(arguments: Journal.all)
    func `a store whose journal has a flipped bit has all acknowledged records but perhaps the last one, or throws`(
        journal: Journal
    ) throws {
        let disk = try Self.makeDisk(journal)
        let whole = try #require(disk.bytes(of: Self.journal))
        let bytes = WrittenJournal.withoutReserve(whole)
        let reserve = whole.dropFirst(bytes.count)
        #expect(!reserve.isEmpty)
        let starts = try Self.starts(in: bytes)
        #expect(starts.count == journal.count + (journal.followsFold ? 2 : 0))
        var (refusals, openings) = (0, 0)
        let bits = Array(stride(from: 0, to: bytes.count * 8, by: TestLevel.current.pick(7, thorough: 1)))
        for bit in bits {
            var damagedBytes = whole
            damagedBytes[bit / 8] ^= 1 << (bit % 8)
            let damaged = disk.afterProcessesWereKilled()
            try damaged.write(damagedBytes, to: Self.journal)
            let process: ProcessDouble
            do {
                process = try ProcessDouble(path: Self.path, fileSystem: damaged)
            } catch {
                try #require((error as? FileStoreError)?.step == .readJournal)
                #expect(damaged.bytes(of: Self.journal) == damagedBytes)
                refusals += 1
                continue
            }
            openings += 1
            // Anything else differs from an append that a crash has torn.
            try #require(bit / 8 >= starts[starts.count - 1], "opens with bit \(bit % 8) of byte \(bit / 8) flipped")
            let present = (1...journal.count).filter { process["key \($0)"] == journal.value }
            try #require(present == Array(1..<journal.count), "bit \(bit % 8) of byte \(bit / 8)")
            #expect(process.notices == [.journalEndsEarly])
        }
        #expect(refusals == bits.count { $0 / 8 < starts[starts.count - 1] })
        #expect(openings == bits.count - refusals)
    }

    /// As a disk leaves it that loses a sector.
    @Test(arguments: [UInt8(0), 0xFF, 0x7B])
    func `a store whose journal has a flipped bit throws for a block in the middle that is another one`(filler: UInt8)
        throws
    {
        let disk = try Self.makeDisk(Journal(count: 6))
        let bytes = try #require(disk.bytes(of: Self.journal))
        let starts = try Self.starts(in: WrittenJournal.withoutReserve(bytes))
        for begin in stride(from: 0, to: starts[4], by: TestLevel.current.pick(5, thorough: 1)) {
            // The last two records are whole.
            for end in [begin + 8, begin + 32, starts[4]] where begin < end && end <= starts[4] {
                let damaged = disk.afterProcessesWereKilled()
                var damagedBytes = bytes
                damagedBytes.replaceSubrange(begin..<end, with: repeatElement(filler, count: end - begin))
                guard damagedBytes != bytes else { continue }
                try damaged.write(damagedBytes, to: Self.journal)
                let error = #expect(throws: FileStoreError.self, "\(begin)..<\(end)") {
                    try ProcessDouble(path: Self.path, fileSystem: damaged)
                }
                try #require(error?.step == .readJournal)
            }
        }
    }

    @Test func `a store whose journal has a flipped bit opens with a record torn anywhere, and keeps what came before`()
        throws
    {
        let disk = try Self.makeDisk(Journal(value: .string(String(repeating: "settings ", count: 40))))
        let whole = try #require(disk.bytes(of: Self.journal))
        let bytes = WrittenJournal.withoutReserve(whole)
        let last = try #require(try Self.starts(in: bytes).last)
        for begin in stride(from: last, to: bytes.count, by: TestLevel.current.pick(5, thorough: 1)) {
            for end in Set([begin + 1, (begin + bytes.count) / 2 + 1, bytes.count]) where end <= bytes.count {
                let damaged = disk.afterProcessesWereKilled()
                var tornBytes = whole
                tornBytes.replaceSubrange(begin..<end, with: repeatElement(0, count: end - begin))
                guard tornBytes != whole else { continue }
                try damaged.write(tornBytes, to: Self.journal)
                let process = try ProcessDouble(path: Self.path, fileSystem: damaged)
                #expect(process["key 2"] != nil && process["key 3"] == nil)
                // A record of which nothing is left looks like space that was never used.
                let isGone = begin == last && end == bytes.count
                #expect(process.notices == (isGone ? [] : [.journalEndsEarly]))
            }
        }
    }
}
