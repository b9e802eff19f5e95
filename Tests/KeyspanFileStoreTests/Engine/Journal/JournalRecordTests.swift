import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@Suite struct JournalRecordTests {
    private static let start = JournalHeader(epoch: 1, checkpoint: nil).start

    private func readBack(_ record: JournalRecord) throws -> JournalRecord {
        let reading = WrittenJournal([record], from: Self.start).read()
        #expect(reading.rest == .nothing)
        return try #require(reading.records.first)
    }

    @Test(.seeded) func `a record reads back as it was written`() throws {
        for seed in SeededGenerator.seeds(200) { try checkThatRecordReadsBack(seed) }
    }

    private func checkThatRecordReadsBack(_ seed: UInt64) throws {
        var random = RandomValues(seed: seed)
        var generator = SeededGenerator(seed: seed)
        let writes = random.dictionary(levels: 3).sortedByName().map { key, value in
            let replaced = Bool.random(using: &generator) ? ValueFingerprint(value) : nil
            let isRemoval = Int.random(in: 0..<4, using: &generator) == 0
            return JournalRecord.Write(key: key, value: isRemoval ? nil : value, replaced: replaced)
        }
        try #require(try readBack(JournalRecord(writes: writes)).writes == writes, "seed \(seed)")
        try #require(try readBack(JournalRecord(writes: writes.reversed())).writes == writes, "seed \(seed)")
    }

    /// U+0338 behind "=" is the character "≠", and a plain comparison of characters would not find the "=".
    @Test(arguments: [
        "", "=", "-", "~", "=a", "$dictionary", "\u{338}", "\u{338}x", "\u{301}", "\u{200D}", "\u{0}", "\r\n", "\n",
        "\"", "\\", "e\u{301}", "é", "\u{212A}", "👨‍👩‍👧", "\u{FEFF}", "\u{FFFF}", "\u{10FFFF}",
        String(repeating: "k", count: 100_000),
    ])
    func `a record keeps all scalars of a key`(key: String) throws {
        for value in [nil, PropertyListValue.string(key)] {
            let write = JournalRecord.Write(key: key, value: value, replaced: ValueFingerprint(false))
            let writes = try readBack(JournalRecord(writes: [write])).writes
            #expect(writes == [write])
            #expect(writes.first.map { Array($0.key.unicodeScalars) } == Array(key.unicodeScalars))
        }
    }

    @Test func `a record may be empty, and keeps the deepest values and keys that differ in their bytes`() throws {
        let steps: [(PropertyListValue) -> PropertyListValue] = [{ [$0] }, { ["a": $0] }, { ["$dictionary": $0] }]
        let deep = steps.map { step in (1...PropertyListValue.maximumNesting).reduce(true) { value, _ in step(value) } }
        for values in deep.map({ [("deep", $0)] }) + [[], [("e\u{301}", 1), ("\u{E9}", 2)]] {
            let record = JournalRecord(writes: values.map { .init(key: $0, value: $1, replaced: nil) })
            #expect(try readBack(record) == record)
        }
    }

    @Test func `a record keeps the last value and the first fingerprint of a key that is written again`() throws {
        func write(_ value: PropertyListValue?, replacing replaced: PropertyListValue?) -> JournalRecord.Write {
            .init(key: "é", value: value, replaced: replaced.map(ValueFingerprint.init))
        }
        let cases: [(written: [JournalRecord.Write], read: JournalRecord.Write)] = [
            ([write(1, replacing: 0), write(2, replacing: 1)], write(2, replacing: 0)),
            ([write(1, replacing: 0), write(nil, replacing: 1)], write(nil, replacing: 0)),
            ([write(nil, replacing: 0), write(2, replacing: nil)], write(2, replacing: 0)),
            ([write(1, replacing: nil), write(2, replacing: 1)], write(2, replacing: nil)),
        ]
        for (written, read) in cases { #expect(try readBack(JournalRecord(writes: written)).writes == [read]) }
    }

    /// Computed from the description by another program, so that a change to the format does not go unnoticed.
    @Test func `a record has the bytes that are described`() {
        let record = JournalRecord(writes: [
            .init(key: "a", value: [1], replaced: ValueFingerprint("x")), .init(key: "b", value: nil, replaced: nil),
        ])
        let (bytes, end) = record.encoded(at: JournalHeader(epoch: 2, checkpoint: nil).start)
        #expect(hexadecimal(Array(bytes.prefix(12))) == "3a000000ecf8e13ed69be9a5")
        #expect(
            String(decoding: bytes.dropFirst(12), as: UTF8.self) == """
                {
                  "-b": true,
                  "=a": [
                    1
                  ],
                  "~a": 2111553435
                }

                """
        )
        #expect(end.epoch == 2)
        #expect(end.offset == JournalHeader.length + bytes.count)
        #expect(end.chain.littleEndian == bytes[8..<12].reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }

    @Test(arguments: [
        "", " ", "{", "[]", "1", "null", "{\"\": 1}", "{\"a\": 1}", "{\"+a\": 1}", "{\"\u{338}\": 1}", "{\"≠\": 1}",
        "{\"-a\": false}", "{\"-a\": 1}", "{\"=a\": 1, \"-a\": true}", "{\"~a\": 1}", "{\"-b\": true, \"~a\": 1}",
        "{\"=a\": 1, \"~a\": -1}", "{\"=a\": 1, \"~a\": 4294967296}", "{\"=a\": 1, \"~a\": 1.0}",
        "{\"=a\": 1, \"~a\": \"1\"}", "{\"=a\": 1} {\"=b\": 1}", "{\"=a\": 1, \"=a\": 2}", "{\"#\": [-1, 0]}",
        "{\"<\": [-1, 0, 0]}",
    ])
    func `a record is not made of another text, even with the right checksums`(payload: String) {
        let first = WrittenJournal([JournalRecord(writes: [])], from: Self.start)
        let frame = sealed(Array(payload.utf8), at: first.end)
        for (behind, isFollowed) in [([], false), ([0], true)] as [([UInt8], Bool)] {
            let reading = JournalReading((first.bytes + frame + behind)[...], from: first.start)
            #expect(reading.records == first.records)
            #expect(reading.end == first.end)
            #expect(reading.rest == .damaged(isFollowed: isFollowed))
        }
    }

    @Test func `a record may be written with other white space`() {
        let reading = JournalReading(sealed(Array("{\"=a\":1,\"~a\":5}".utf8), at: Self.start)[...], from: Self.start)
        #expect(reading.records.first?.writes.map(\.value) == [1])
        #expect(reading.records.first?.writes.map(\.replaced?.rawValue) == [5])
    }

    /// A frame as it is described, around any payload.
    private func sealed(_ payload: [UInt8], at position: JournalPosition) -> [UInt8] {
        func bytes(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
        let length = bytes(UInt32(payload.count))
        let lengthChecksum = CRC32C.checksum(of: length[...], continuing: position.chain)
        let checksum = CRC32C.checksum(of: payload[...], continuing: lengthChecksum)
        return length + bytes(lengthChecksum) + bytes(checksum) + payload
    }
}
