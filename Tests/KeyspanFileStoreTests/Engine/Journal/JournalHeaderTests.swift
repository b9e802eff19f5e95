import KeyspanFileStore
import KeyspanTesting
import Testing

@Suite struct JournalHeaderTests {
    private static let checkpoint = JournalHeader.Checkpoint(
        end: JournalPosition(epoch: 3, offset: 4096, chain: 0x8765_4321),
        file: FileSignature(device: 5, inode: 6, size: 7, modified: -8, changed: 9)
    )
    private static let largest = JournalHeader.Checkpoint(
        end: JournalPosition(epoch: .max, offset: .max, chain: .max),
        file: FileSignature(device: .max, inode: .max, size: .max, modified: .min, changed: .max)
    )
    private static let smallest = JournalHeader.Checkpoint(
        end: JournalPosition(epoch: 0, offset: 0, chain: 0),
        file: FileSignature(device: 0, inode: 0, size: 0, modified: 0, changed: 0)
    )
    private static let headers = [
        JournalHeader(epoch: 0x0123_4567_89AB_CDEF, checkpoint: nil),
        JournalHeader(epoch: 2, checkpoint: checkpoint),
        JournalHeader(epoch: .max, checkpoint: largest),
        JournalHeader(epoch: 0, checkpoint: smallest),
    ]

    @Test(arguments: headers)
    func `a header reads back as it was written`(header: JournalHeader) throws {
        #expect(header.bytes.count == JournalHeader.length)
        #expect(try JournalHeader(header.bytes[...]) == header)
        let bytes = [0xAA, 0xBB] + header.bytes + [0xCC]
        #expect(try JournalHeader(bytes[2...]) == header)
    }

    /// Computed from the description by another program, so that a change to the format does not go unnoticed.
    @Test func `a header has the bytes that are described`() throws {
        #expect(
            hexadecimal(Self.headers[1].bytes)
                == "6b65797370616e2d6a6f75726e616c0a030000000100000002000000000000000300000000000000"
                + "001000000000000021436587050000000000000006000000000000000700000000000000f8ffffff"
                + "ffffffff09000000000000004ede4548"
        )
    }

    /// As the previous version of the format wrote it, which is also how a program of that version refuses a later one.
    @Test func `a header of the previous version is read, and keeps its version`() throws {
        var bytes = Array(Self.headers[1].bytes.dropLast(4))
        bytes[16] = 2
        let checksum = CRC32C.checksum(of: bytes[...])
        bytes += (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (8 * $0)) }
        let header = try JournalHeader(bytes[...])
        #expect(header.bytes == bytes)
        #expect(header.start == Self.headers[1].start && header.checkpoint == Self.checkpoint)
        bytes[16] = 1
        #expect(throws: JournalFault.unknownVersion(1)) { try JournalHeader(bytes[...]) }
    }

    @Test(arguments: headers)
    func `a header is refused if it is cut off anywhere or any bit is another one`(header: JournalHeader) {
        for index in 0..<JournalHeader.length {
            #expect(throws: JournalFault.incompleteHeader) { try JournalHeader(header.bytes.prefix(index)) }
            for bit in 0..<8 {
                var damaged = header.bytes
                damaged[index] ^= 1 << bit
                #expect(throws: JournalFault.self, "bit \(bit) of byte \(index)") { try JournalHeader(damaged[...]) }
            }
        }
    }

    @Test func `a header names what is wrong`() {
        let bytes = Self.headers[1].bytes
        func fault(changing index: Int, to byte: UInt8) -> JournalFault? {
            var damaged = bytes
            damaged[index] = byte
            return #expect(throws: JournalFault.self) { try JournalHeader(damaged[...]) }
        }
        #expect(fault(changing: 0, to: 0x7B) == .noJournal)
        #expect(fault(changing: 16, to: 4) == .unknownVersion(4))
        #expect(fault(changing: 24, to: 0xFF) == .damagedHeader)
        #expect(throws: JournalFault.noJournal) { try JournalHeader(Array("{}\n".utf8)[...]) }
    }

    @Test(arguments: [JournalFault.incompleteHeader, .noJournal, .unknownVersion(7), .damagedHeader])
    func `a header has clauses for every fault`(fault: JournalFault) {
        for clause in [fault.reason, fault.remedy] {
            #expect(!clause.isEmpty && !clause.hasSuffix(".") && clause.first?.isLowercase == true)
        }
    }

    @Test func `a header starts another chain for another epoch`() {
        let starts = Self.headers.map(\.start)
        #expect(Set(starts.map(\.chain)).count == starts.count)
        #expect(starts.allSatisfy { $0.offset == JournalHeader.length })
        #expect(starts.map(\.epoch) == Self.headers.map(\.epoch))
    }
}

/// The bytes in hexadecimal digits.
func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
