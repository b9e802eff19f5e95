@testable import KeyspanFileStore

/// Puts right checksums into a journal, header and frames, and leaves all else as it is.
enum JournalSeal {
    static func sealing(_ journal: [UInt8]) -> [UInt8] {
        guard journal.count >= JournalHeader.length else { return journal }
        var journal = journal
        let headerEnd = JournalHeader.length - 4
        put(CRC32C.checksum(of: journal[..<headerEnd]), into: &journal, at: headerEnd)
        guard let header = try? JournalHeader(journal[...]) else { return journal }  // Any refusal will do.
        var chain = header.start.chain
        var offset = JournalHeader.length
        while journal.count - offset >= 12 {
            var head = journal[offset..<offset + 4]
            chain = CRC32C.checksum(of: head, continuing: chain)
            let payload = journal[(offset + 12)...].prefix(Int(UInt32(littleEndianFrom: &head)))
            put(chain, into: &journal, at: offset + 4)
            chain = CRC32C.checksum(of: payload, continuing: chain)
            put(chain, into: &journal, at: offset + 8)
            offset = payload.endIndex
        }
        return journal
    }

    private static func put(_ number: UInt32, into bytes: inout [UInt8], at index: Int) {
        bytes.replaceSubrange(index..<index + 4, with: number.littleEndianBytes)
    }
}
