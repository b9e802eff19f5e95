import Foundation
import KeyspanCore
import KeyspanFileStore

/// The bytes of a journal that was written record by record, without its header.
struct WrittenJournal {
    let start: JournalPosition
    private(set) var records: [JournalRecord] = []
    private(set) var bytes: [UInt8] = []
    /// The position behind each record.
    private(set) var ends: [JournalPosition] = []

    var end: JournalPosition { ends.last ?? start }

    init(_ records: [JournalRecord] = [], from start: JournalPosition) {
        self.start = start
        for record in records {
            let (frame, end) = record.encoded(at: end)
            self.records.append(record)
            bytes += frame
            ends.append(end)
        }
    }

    /// The number of records that end at an index of the bytes or earlier.
    func recordCount(before index: Int) -> Int {
        ends.count { $0.offset - start.offset <= index }
    }

    /// The index at which a record begins.
    func startIndex(ofRecord number: Int) -> Int {
        number == 0 ? 0 : ends[number - 1].offset - start.offset
    }

    func read() -> JournalReading {
        JournalReading(bytes[...], from: start)
    }

    /// Twenty records as an application makes them.
    static let realistic = WrittenJournal(
        (0..<4).flatMap { round in
            let count = PropertyListValue(round)
            return [
                JournalRecord(writes: [write("visits", count, replacing: 7)]),
                JournalRecord(writes: [write("note", .string("Zoë: \"漢\" \n"), replacing: nil)]),
                JournalRecord(writes: [write("note", nil, replacing: .string("old"))]),
                JournalRecord(writes: [
                    write("colour", ["alpha": 0.5], replacing: nil), write("last", .date(.distantPast), replacing: 1),
                    write("on", true, replacing: false),
                ]),
                JournalRecord(writes: [write("icon", .data(.init([1, 2, 3])), replacing: count)]),
            ]
        },
        from: JournalHeader(epoch: 0x0123_4567_89AB_CDEF, checkpoint: nil).start
    )

    /// The bytes of a whole journal without the zeros that are reserved behind its records.
    ///
    /// No record ends with a zero.
    static func withoutReserve(_ journal: [UInt8]) -> [UInt8] {
        Array(journal.prefix((journal.lastIndex { $0 != 0 } ?? -1) + 1))
    }

    private static func write(
        _ key: String,
        _ value: PropertyListValue?,
        replacing replaced: PropertyListValue?
    ) -> JournalRecord.Write {
        JournalRecord.Write(key: key, value: value, replaced: replaced.map(ValueFingerprint.init))
    }
}
