import KeyspanCore
import KeyspanFileStore
import KeyspanTesting
import Testing

@Suite
struct JournalDamageTests {
    private static let journal = WrittenJournal.realistic

    @Test func `a damaged journal would be read whole without the damage`() {
        let reading = Self.journal.read()
        #expect(reading.records == Self.journal.records)
        #expect(reading.records.count == 20)
        #expect(reading.end == Self.journal.end)
        #expect(reading.rest == .nothing)
    }

    @Test func `a damaged journal has the records before the place where it is cut off`() {
        let journal = Self.journal
        for length in 0..<journal.bytes.count {
            let reading = JournalReading(journal.bytes.prefix(length), from: journal.start)
            let count = journal.recordCount(before: length)
            #expect(reading.records == Array(journal.records.prefix(count)), "\(length) bytes")
            #expect(reading.end == (count == 0 ? journal.start : journal.ends[count - 1]), "\(length) bytes")
            let isWhole = length == journal.startIndex(ofRecord: count)
            #expect(reading.rest == (isWhole ? .nothing : .incomplete), "\(length) bytes")
        }
    }

    @Test func `a damaged journal is read on from where it was cut off`() {
        let journal = Self.journal
        for length in 0..<journal.bytes.count {
            let first = JournalReading(journal.bytes.prefix(length), from: journal.start)
            let second = JournalReading(journal.bytes[(first.end.offset - journal.start.offset)...], from: first.end)
            #expect(first.records + second.records == journal.records, "\(length) bytes")
            #expect(second.end == journal.end, "\(length) bytes")
        }
    }

    @Test(arguments: 0..<journal.records.count)
    func `a damaged journal has the records before a bit that is another one`(number: Int) {
        // Reading begins one record earlier: all of them, for each bit, would take long in a debug build.
        let before = max(0, number - 1)
        let journal = WrittenJournal(
            Array(Self.journal.records[before...]),
            from: before == 0 ? Self.journal.start : Self.journal.ends[before - 1]
        )
        let damagedNumber = number - before
        let begin = journal.startIndex(ofRecord: damagedNumber)
        let isLast = damagedNumber == journal.records.count - 1
        for index in begin..<journal.startIndex(ofRecord: damagedNumber + 1) {
            for bit in 0..<8 {
                var damaged = journal.bytes
                damaged[index] ^= 1 << bit
                let reading = JournalReading(damaged[...], from: journal.start)
                #expect(reading.records == Array(journal.records.prefix(damagedNumber)), "bit \(bit) of byte \(index)")
                #expect(reading.rest == .damaged(isFollowed: !isLast), "bit \(bit) of byte \(index)")
            }
        }
    }

    @Test(arguments: [
        "a record left out": [0, 2], "two records exchanged": [0, 2, 1], "a record twice": [0, 0],
        "only a later record": [1],
    ])
    func `a damaged journal has no record in another place than its own`(damage: String, order: [Int]) {
        let journal = Self.journal
        let bytes = order.flatMap { number in
            journal.bytes[journal.startIndex(ofRecord: number)..<journal.startIndex(ofRecord: number + 1)]
        }
        let reading = JournalReading(bytes[...], from: journal.start)
        #expect(reading.records == Array(journal.records.prefix(order[0] == 0 ? 1 : 0)))
        // A header before records that do not continue it is not the remains of another journal either.
        #expect(reading.rest == .damaged(isFollowed: order == [0, 2, 1]))
    }

    /// As a journal is that was emptied by writing over it from the start.
    @Test(arguments: 1..<20)
    func `a damaged journal has no record of an older epoch behind those of the new one`(count: Int) {
        let old = Self.journal
        let start = JournalHeader(epoch: old.start.epoch + 1, checkpoint: nil).start
        let new = WrittenJournal(Array(old.records.prefix(count)), from: start)
        let bytes = new.bytes + old.bytes.dropFirst(new.bytes.count)
        let reading = JournalReading(bytes[...], from: start)
        #expect(reading.records == new.records)
        #expect(reading.end == new.end)
        #expect(reading.rest == .damaged(isFollowed: false))
    }

    /// Zeros are space that is reserved for more records.
    @Test(arguments: [1, 8, 12, 4096])
    func `a damaged journal has no record in a tail of zeros`(count: Int) {
        let journal = Self.journal
        let bytes = journal.bytes + [UInt8](repeating: 0, count: count)
        let reading = JournalReading(bytes[...], from: journal.start)
        #expect(reading.records == journal.records)
        #expect(reading.end == journal.end)
        #expect(reading.rest == .nothing)
    }

    @Test(arguments: 0..<journal.records.count, [0, 64, 4096])
    func `a damaged journal has lost a record that became zeros if another byte follows it`(number: Int, reserve: Int) {
        let journal = Self.journal
        let (begin, end) = (journal.startIndex(ofRecord: number), journal.startIndex(ofRecord: number + 1))
        var bytes = journal.bytes + [UInt8](repeating: 0, count: reserve)
        bytes.replaceSubrange(begin..<end, with: repeatElement(0, count: end - begin))
        let isLast = number == journal.records.count - 1
        let reading = JournalReading(bytes[...], from: journal.start)
        #expect(reading.records == Array(journal.records.prefix(number)))
        // Nothing shows that there was a last record.
        #expect(reading.rest == (isLast ? .nothing : .damaged(isFollowed: true)))
        bytes[end - 1] = 0x7D
        #expect(JournalReading(bytes[...], from: journal.start).rest == .damaged(isFollowed: !isLast))
    }

    @Test(arguments: 0..<journal.records.count)
    func `a damaged journal with reserved space has the records before the place where it is cut off`(number: Int) {
        let journal = Self.journal
        for length in journal.startIndex(ofRecord: number)..<journal.startIndex(ofRecord: number + 1) {
            let bytes = journal.bytes.prefix(length) + [UInt8](repeating: 0, count: 4096)
            let reading = JournalReading(bytes[...], from: journal.start)
            #expect(reading.records == Array(journal.records.prefix(number)), "\(length) bytes")
            let isWhole = length == journal.startIndex(ofRecord: number)
            #expect(reading.rest == (isWhole ? .nothing : .damaged(isFollowed: false)), "\(length) bytes")
        }
    }

    @Test(arguments: (0..<50).map { _ in UInt64.random(in: .min ... .max) })
    func `a damaged journal has no record in random bytes`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let journal = Self.journal
        for _ in 0..<50 {
            let begin = journal.startIndex(ofRecord: Int.random(in: 0..<20, using: &generator))
            let length = Int.random(in: 8...200, using: &generator)
            let garbage = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            let reading = JournalReading((journal.bytes.prefix(begin) + garbage)[...], from: journal.start)
            #expect(reading.records.count == journal.recordCount(before: begin), "seed \(seed)")
            #expect(reading.rest == .damaged(isFollowed: false), "seed \(seed)")
        }
    }

    @Test(arguments: (0..<50).map { _ in UInt64.random(in: .min ... .max) })
    func `a damaged journal is read up to the first damage, whatever that is`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let journal = Self.journal
        for _ in 0..<20 {
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
            #expect(journal.records.starts(with: reading.records), "seed \(seed)")
            #expect(reading.records.count >= journal.recordCount(before: begin), "seed \(seed)")
        }
    }
}
