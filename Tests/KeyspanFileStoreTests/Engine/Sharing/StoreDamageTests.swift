import Foundation
import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Truncations, flipped bits and lost blocks of a file and of its journal.
@Suite(.heavy, .seeded) struct StoreDamageTests {
    private static let path = "/data/settings.json"
    private static let journal = "/data/.settings.json.journal"
    private static let recovering = FileStoreOptions(recovery: .lastGoodCopy)

    /// The history of a journal with acknowledged records.
    struct History: Sendable, CustomTestStringConvertible {
        /// Whether the store has made a checkpoint before, so that the journal begins with records of that.
        var followsCheckpoint = false
        /// The number of records with a write that follow.
        var count = 3
        /// The value of each.
        var value: PropertyListValue = 1

        var testDescription: String {
            "\(count) records\(followsCheckpoint ? " after a checkpoint" : "")\(value == 1 ? "" : ", large")"
        }

        static let large = History(value: .string(String(repeating: "settings ", count: 40)))
        static let all = [History(), History(followsCheckpoint: true), History(count: 1), History(count: 2), large]
    }

    /// A disk with that history, or with a file of many kinds of values if a format is given.
    private static func makeDisk(
        _ history: History = History(),
        _ options: FileStoreOptions = FileStoreOptions(),
        format: StoreFormat? = nil
    ) throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        try disk.makeFolders("/data")
        let process = try ProcessDouble(path: path, format: format ?? .json, options: options, fileSystem: disk)
        if format != nil {
            try process.save([
                "name": "Ann", "count": 3, "ratio": 0.5, "on": true, "list": [1, "two", ["deep": [3]]],
                "data": .data(.init(repeating: 7, count: 9)),
                // What XML holds, too.
                "date": .date(.init(timeIntervalSinceReferenceDate: 1)), "text": "ä \"quoted\" \\ \n",
            ])
        } else if history.followsCheckpoint {
            try process.save(["old": 1])
        }
        process.passTime()
        for number in 1...history.count { try process.save(["key \(number)": history.value]) }
        return disk.afterProcessesWereKilled()
    }

    private static func open(
        _ disk: SimulatedDisk,
        _ options: FileStoreOptions = FileStoreOptions(),
        format: StoreFormat = .json
    ) throws -> ProcessDouble {
        try ProcessDouble(path: path, format: format, options: options, fileSystem: disk)
    }

    /// The disk with other bytes in the place of a file.
    private static func replacing(_ path: String, by bytes: [UInt8], on disk: SimulatedDisk) throws -> SimulatedDisk {
        let damaged = disk.afterProcessesWereKilled()
        try damaged.write(bytes, to: path)
        return damaged
    }

    private static func flipping(_ bit: Int, of bytes: [UInt8]) -> [UInt8] {
        var damaged = bytes
        damaged[bit / 8] ^= 1 << (bit % 8)
        return damaged
    }

    /// The contents of the only file that was set aside.
    private static func keptBytes(on disk: SimulatedDisk) throws -> [UInt8]? {
        let kept = try disk.names(inFolder: "/data").filter { $0.contains(".damaged-") }
        try #require(kept.count == 1)
        return disk.bytes(of: "/data/\(kept[0])")
    }

    /// Each number at the exhaustive level, and one of so many at others, which begin where the seed of the run says.
    private static func places(from start: Int = 0, to end: Int, quick: Int, thorough: Int = 1) -> StrideTo<Int> {
        let step = TestLevel.current.pick(quick, thorough: thorough, exhaustive: 1)
        return stride(from: start + Int(SeededGenerator.seedOfRun % UInt64(step)), to: end, by: step)
    }

    /// The numbers of the keys that a store has of a history.
    private static func present(_ history: History, in process: ProcessDouble) -> [Int] {
        (1...history.count).filter { process["key \($0)"] == history.value }
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

    @Test(arguments: StoreFormat.allCases)
    func `a damaged store refuses a file that is cut off, or recovers everything`(format: StoreFormat) throws {
        let disk = try Self.makeDisk(History(), Self.recovering, format: format)
        let bytes = try #require(disk.bytes(of: Self.path))
        let whole = try Self.open(disk, format: format).store.snapshot()
        // Without the line feed at its end text is still whole.
        for count in Self.places(to: bytes.count - (format == .binary ? 0 : 1), quick: 29) {
            let rest = Array(bytes.prefix(count))
            let damaged = try Self.replacing(Self.path, by: rest, on: disk)
            let error = #expect(throws: FileStoreError.self) { _ = try Self.open(damaged, format: format) }
            try #require(error?.step == .parse && damaged.bytes(of: Self.path) == rest)
            let recovered = try Self.open(damaged, Self.recovering, format: format)
            try #require(recovered.store.snapshot() == whole, "of \(count) bytes")
            try #require(try Self.keptBytes(on: damaged) == rest)
        }
    }

    @Test func `a damaged store never resets for a flipped bit of the file`() throws {
        let disk = try Self.makeDisk(format: .json)
        let bytes = try #require(disk.bytes(of: Self.path))
        for bit in Self.places(to: 8 * bytes.count, quick: 29, thorough: 3) {
            let damagedBytes = Self.flipping(bit, of: bytes)
            let damaged = try Self.replacing(Self.path, by: damagedBytes, on: disk)
            do {
                let process = try Self.open(damaged)
                // The flip has changed one name or value, as a person might.
                try #require((10...12).contains(process.store.snapshot().count), "bit \(bit)")
                try #require(Self.present(History(), in: process).count == 3, "bit \(bit)")
            } catch let error as FileStoreError {
                try #require(error.step == .parse && damaged.bytes(of: Self.path) == damagedBytes, "bit \(bit)")
            }
        }
    }

    @Test func `a damaged store loses only the last batches for a journal that is cut off, and says so`() throws {
        let history = History(count: 5)
        let disk = try Self.makeDisk(history, format: .json)
        let bytes = WrittenJournal.withoutReserve(try #require(disk.bytes(of: Self.journal)))
        let borders = [0] + (try Self.starts(in: bytes))
        var seen: Set<Int> = []
        for count in Set(Self.places(to: bytes.count, quick: 29)).union(borders) {
            let damaged = try Self.replacing(Self.journal, by: Array(bytes.prefix(count)), on: disk)
            let process = try Self.open(damaged)
            let present = Self.present(history, in: process)
            try #require(present == Array([1, 2, 3, 4, 5].prefix(present.count)) && process["name"] == "Ann")
            seen.insert(present.count)
            if !borders.contains(count) { try #require(process.notices == [.journalEndsEarly], "at \(count)") }
        }
        #expect(seen == Set(0..<5))
    }

    @Test(arguments: History.all)
    func `a journal with a flipped bit loses no record but the last one, or is refused`(history: History) throws {
        let disk = try Self.makeDisk(history)
        let whole = try #require(disk.bytes(of: Self.journal))
        let bytes = WrittenJournal.withoutReserve(whole)
        #expect(bytes.count < whole.count)
        let starts = try Self.starts(in: bytes)
        #expect(starts.count == history.count + (history.followsCheckpoint ? 2 : 0))
        let last = starts[starts.count - 1]
        // One in each record at least.
        for bit in Set(Self.places(to: 8 * bytes.count, quick: 29)).union(starts.map { 8 * $0 }) {
            let damagedBytes = Self.flipping(bit, of: whole)
            let damaged = try Self.replacing(Self.journal, by: damagedBytes, on: disk)
            // Anything before the last record differs from an append that a crash has torn.
            guard bit / 8 >= last else {
                let error = #expect(throws: FileStoreError.self, "opens with bit \(bit)") { try Self.open(damaged) }
                try #require(error?.step == .readJournal && damaged.bytes(of: Self.journal) == damagedBytes)
                continue
            }
            let process = try Self.open(damaged)
            try #require(Self.present(history, in: process) == Array(1..<history.count), "bit \(bit)")
            try #require(process.notices == [.journalEndsEarly])
            try process.save(["new": 1])
            try #require(try Self.keptBytes(on: damaged) == damagedBytes)
            try #require(try Self.open(damaged)["new"] == 1)
        }
    }

    /// As a disk leaves it that loses a sector.
    @Test func `a damaged store throws for a block in the middle of the journal that is another one`() throws {
        let disk = try Self.makeDisk(History(count: 6))
        let bytes = try #require(disk.bytes(of: Self.journal))
        // The last two records are whole.
        let limit = try Self.starts(in: WrittenJournal.withoutReserve(bytes))[4]
        for (filler, begin) in [UInt8(0), 0xFF, 0x7B].flatMap({ filler in
            Self.places(to: limit, quick: 29).map { (filler, $0) }
        }) {
            for end in [begin + 8, begin + 32, limit] where begin < end && end <= limit {
                var damagedBytes = bytes
                damagedBytes.replaceSubrange(begin..<end, with: repeatElement(filler, count: end - begin))
                guard damagedBytes != bytes else { continue }
                let damaged = try Self.replacing(Self.journal, by: damagedBytes, on: disk)
                let error = #expect(throws: FileStoreError.self, "\(begin)..<\(end)") { try Self.open(damaged) }
                try #require(error?.step == .readJournal)
            }
        }
    }

    @Test func `a damaged store opens with a last record torn anywhere, and keeps what came before`() throws {
        let disk = try Self.makeDisk(.large)
        let whole = try #require(disk.bytes(of: Self.journal))
        let bytes = WrittenJournal.withoutReserve(whole)
        let last = try #require(try Self.starts(in: bytes).last)
        for begin in Set(Self.places(from: last, to: bytes.count, quick: 29)).union([last]) {
            for end in Set([begin + 1, (begin + bytes.count) / 2 + 1, bytes.count]) where end <= bytes.count {
                var tornBytes = whole
                tornBytes.replaceSubrange(begin..<end, with: repeatElement(0, count: end - begin))
                guard tornBytes != whole else { continue }
                let process = try Self.open(try Self.replacing(Self.journal, by: tornBytes, on: disk))
                #expect(process["key 2"] != nil && process["key 3"] == nil)
                // A record of which nothing is left looks like space that was never used.
                let isGone = begin == last && end == bytes.count
                #expect(process.notices == (isGone ? [] : [.journalEndsEarly]))
            }
        }
    }

    @Test func `a damaged store opens with a damaged journal if asked to recover`() throws {
        let disk = try Self.makeDisk(format: .json)
        let bytes = try #require(disk.bytes(of: Self.journal))
        try disk.write(Self.flipping(WrittenJournal.withoutReserve(bytes).count * 4, of: bytes), to: Self.journal)
        let process = try Self.open(disk, Self.recovering)
        #expect(process["name"] == "Ann")
        try process.save(["new": 1])
        #expect(try Self.open(disk)["new"] == 1)
    }
}
