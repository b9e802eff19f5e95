@_spi(StoreAuthors) import KeyspanCore
import LibFuzzer

// Testable, because a package-level declaration is not visible to another package.
@_spi(StoreAuthors) @testable import KeyspanFileStore

/// Checks the properties of the journal's reader and writer that hold for any bytes.
struct JournalCheck {
    let journal: [UInt8]

    func run() {
        do throws(JournalFault) {
            let header = try JournalHeader(journal[...])
            Fuzzing.check(header.bytes[...] == journal.prefix(JournalHeader.length), "a header was read as another one")
            checkRecords(journal.dropFirst(JournalHeader.length), from: header.start)
        } catch {
            Fuzzing.check(!error.reason.isEmpty && !error.remedy.isEmpty, "a fault has no words: \(error)")
            checkRecords(journal[...], from: JournalHeader(epoch: 1, checkpoint: nil).start)
        }
    }

    private func checkRecords(_ bytes: ArraySlice<UInt8>, from start: JournalPosition) {
        let reading = JournalReading(bytes, from: start)
        let length = reading.end.offset - start.offset
        Fuzzing.check(reading.end.epoch == start.epoch, "reading came to another epoch")
        Fuzzing.check((0...bytes.count).contains(length), "reading came to an end beyond the bytes")
        // Zeros are space that is reserved for more records.
        let isWhole = bytes.dropFirst(length).allSatisfy { $0 == 0 }
        Fuzzing.check(isWhole == (reading.rest == .nothing), "\(reading.rest) is not what is left")
        checkResuming(reading, of: bytes, from: start)
        checkRoundTrip(reading.records, of: bytes, from: start)
    }

    /// Checks that reading in two steps produces the same records.
    private func checkResuming(_ whole: JournalReading, of bytes: ArraySlice<UInt8>, from start: JournalPosition) {
        // The place of the cut differs between inputs, and never changes for one input.
        let cut = Int(CRC32C.checksum(of: bytes)) % (bytes.count + 1)
        let first = JournalReading(bytes.prefix(cut), from: start)
        let second = JournalReading(bytes.dropFirst(first.end.offset - start.offset), from: first.end)
        Fuzzing.check(first.records + second.records == whole.records, "a record was read only in one go")
        Fuzzing.check(second.end == whole.end && second.rest == whole.rest, "reading on came to another end")
        if whole.rest == .nothing {
            Fuzzing.check([.nothing, .incomplete].contains(first.rest), "a cut was taken for damage")
        }
    }

    /// Checks that the written records read back, with equal bytes if this writer wrote the journal.
    private func checkRoundTrip(_ records: [JournalRecord], of bytes: ArraySlice<UInt8>, from start: JournalPosition) {
        let (written, end) = encode(records, from: start)
        let again = JournalReading(written[...], from: start)
        Fuzzing.check(again.records == records, "a record was written as another one")
        Fuzzing.check(again.end == end && again.rest == .nothing, "a written journal is not whole")
        Fuzzing.check(encode(again.records, from: start).bytes == written, "a record is not always written alike")
        var unread = bytes
        for record in records {
            let length = Int(UInt32(littleEndianFrom: &unread))
            let payload = unread.dropFirst(8).prefix(length)
            unread = bytes[payload.endIndex...]
            checkPayload(Array(payload), of: record)
        }
    }

    private func checkPayload(_ payload: [UInt8], of record: JournalRecord) {
        let rewritten = JSONText.encode(record.table)
        do throws(JSONTextError) {
            let table = try JSONText.parseTable(payload)
            Fuzzing.check(table == record.table, "a record is not what was read")
            if JSONText.encode(table) == payload { Fuzzing.check(rewritten == payload, "the bytes are not the same") }
        } catch {
            Fuzzing.check(false, "a record was made of an invalid text: \(error)")
        }
    }

    private func encode(
        _ records: [JournalRecord],
        from start: JournalPosition
    ) -> (bytes: [UInt8], end: JournalPosition) {
        records.reduce(into: (bytes: [], end: start)) { journal, record in
            let (bytes, end) = record.encoded(at: journal.end)
            journal.bytes += bytes
            journal.end = end
        }
    }
}
