import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@Suite(.heavy, .seeded) struct JournalDamageTests {
    private static let journal = WrittenJournal.realistic
    private static let recordNumbers = 0..<journal.records.count

    /// Describes how a reading of some bytes differs from the first records of the journal and a rest; `nil` if it does not.
    private func fault(_ bytes: [UInt8], has count: Int, then rest: JournalReading.Rest) -> String? {
        let journal = Self.journal
        let reading = JournalReading(bytes[...], from: journal.start)
        let end = count == 0 ? journal.start : journal.ends[count - 1]
        if reading.records == Array(journal.records.prefix(count)), reading.end == end, reading.rest == rest {
            return nil
        }
        return
            "\(reading.records.count) of \(count) records, to \(reading.end.offset), then \(reading.rest), not \(rest)"
    }

    @Test func `a journal that is cut off has the records before that place, and is read on from there`() throws {
        let journal = Self.journal
        #expect(journal.records.count == 20 && fault(journal.bytes, has: 20, then: .nothing) == nil)
        for length in 0..<journal.bytes.count {
            let bytes = Array(journal.bytes.prefix(length))
            let count = journal.recordCount(before: length)
            let isWhole = length == journal.startIndex(ofRecord: count)
            try #require(fault(bytes, has: count, then: isWhole ? .nothing : .incomplete) == nil, "\(length) bytes")
            let reserved = bytes + [UInt8](repeating: 0, count: 4096)
            let rest: JournalReading.Rest = isWhole ? .nothing : .damaged(isFollowed: false)
            try #require(fault(reserved, has: count, then: rest) == nil, "\(length) bytes and reserved space")

            let first = JournalReading(bytes[...], from: journal.start)
            let second = JournalReading(journal.bytes[(first.end.offset - journal.start.offset)...], from: first.end)
            try #require(first.records + second.records == journal.records, "\(length) bytes")
            try #require(second.end == journal.end, "\(length) bytes")
        }
    }

    @Test func `a journal has the records before a bit that is another one`() throws {
        let journal = Self.journal
        for number in Self.recordNumbers {
            let bits = (8 * journal.startIndex(ofRecord: number))..<(8 * journal.startIndex(ofRecord: number + 1))
            let step = TestLevel.current.pick(29, thorough: 7, exhaustive: 1)
            for bit in stride(from: bits.lowerBound, to: bits.upperBound, by: step) {
                var damaged = journal.bytes
                damaged[bit / 8] ^= 1 << (bit % 8)
                let isLast = number == Self.recordNumbers.last
                try #require(fault(damaged, has: number, then: .damaged(isFollowed: !isLast)) == nil, "bit \(bit)")
            }
        }
    }

    @Test(arguments: [
        "a record left out": [0, 2], "two records exchanged": [0, 2, 1], "a record twice": [0, 0],
        "only a later record": [1],
    ])
    func `a journal has no record in another place than its own`(damage: String, order: [Int]) {
        let bytes = order.flatMap { number in
            Self.journal.bytes[
                Self.journal.startIndex(ofRecord: number)..<Self.journal.startIndex(ofRecord: number + 1)
            ]
        }
        // A header before records that do not continue it is not the remains of another journal either.
        let rest = JournalReading.Rest.damaged(isFollowed: order == [0, 2, 1])
        #expect(fault(bytes, has: order[0] == 0 ? 1 : 0, then: rest) == nil)
    }

    /// As a journal is that was emptied by writing over it from the start.
    @Test func `a journal has no record of an older epoch behind those of the new one`() throws {
        let old = Self.journal
        let start = JournalHeader(epoch: old.start.epoch + 1, checkpoint: nil).start
        for count in Self.recordNumbers.dropFirst() {
            let new = WrittenJournal(Array(old.records.prefix(count)), from: start)
            let reading = JournalReading((new.bytes + old.bytes.dropFirst(new.bytes.count))[...], from: start)
            try #require(reading.records == new.records && reading.end == new.end)
            try #require(reading.rest == .damaged(isFollowed: false))
        }
    }

    /// Zeros are space that is reserved for more records.
    @Test func `a journal has no record in zeros, and knows of a lost one if another byte follows`() throws {
        let journal = Self.journal
        for count in [1, 8, 12, 4096] {
            #expect(fault(journal.bytes + [UInt8](repeating: 0, count: count), has: 20, then: .nothing) == nil)
        }
        for number in Self.recordNumbers {
            for reserve in [0, 64, 4096] {
                let (begin, end) = (journal.startIndex(ofRecord: number), journal.startIndex(ofRecord: number + 1))
                var bytes = journal.bytes + [UInt8](repeating: 0, count: reserve)
                bytes.replaceSubrange(begin..<end, with: repeatElement(0, count: end - begin))
                let isLast = number == Self.recordNumbers.last
                // Nothing shows that there was a last record.
                let rest: JournalReading.Rest = isLast ? .nothing : .damaged(isFollowed: true)
                try #require(fault(bytes, has: number, then: rest) == nil)
                bytes[end - 1] = 0x7D
                try #require(fault(bytes, has: number, then: .damaged(isFollowed: !isLast)) == nil)
            }
        }
    }

    @Test func `a journal has no record in random bytes`() throws {
        let journal = Self.journal
        for seed in SeededGenerator.seeds(TestLevel.current.pick(200, thorough: 2_500)) {
            var generator = SeededGenerator(seed: seed)
            let begin = journal.startIndex(ofRecord: Int.random(in: 0..<20, using: &generator))
            let length = Int.random(in: 8...200, using: &generator)
            let garbage = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            let (bytes, count) = (journal.bytes.prefix(begin) + garbage, journal.recordCount(before: begin))
            try #require(fault(Array(bytes), has: count, then: .damaged(isFollowed: false)) == nil, "seed \(seed)")
        }
    }

    @Test func `a journal is read up to the first damage, whatever that is`() throws {
        let journal = Self.journal
        for seed in SeededGenerator.seeds(TestLevel.current.pick(200, thorough: 1_000)) {
            var generator = SeededGenerator(seed: seed)
            var bytes = journal.bytes
            let begin = Int.random(in: bytes.indices, using: &generator)
            let end = min(bytes.count, begin + Int.random(in: 1...64, using: &generator))
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes.removeSubrange(begin..<end)
            case 1: bytes.insert(contentsOf: bytes[begin..<end], at: begin)
            case 2: bytes.replaceSubrange(begin..<end, with: repeatElement(0, count: end - begin))
            default: bytes[begin..<end].shuffle(using: &generator)
            }
            let reading = JournalReading(bytes[...], from: journal.start)
            try #require(journal.records.starts(with: reading.records), "seed \(seed)")
            try #require(reading.records.count >= journal.recordCount(before: begin), "seed \(seed)")
        }
    }
}
