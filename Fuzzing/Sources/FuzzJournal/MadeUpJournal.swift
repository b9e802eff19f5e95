@_spi(StoreAuthors) @testable import KeyspanFileStore

/// Makes journals with correct checksums from any bytes.
enum MadeUpJournal {
    /// A journal of payloads, which are separated by NUL bytes.
    static func framing(_ payloads: [UInt8]) -> [UInt8] {
        let header = JournalHeader(epoch: 1, checkpoint: nil)
        var journal = header.bytes
        var position = header.start
        for payload in payloads.split(separator: 0, omittingEmptySubsequences: false) {
            let (bytes, end) = JournalFrame.encode(Array(payload), at: position)
            journal += bytes
            position = end
        }
        return journal
    }

    /// A journal with corrected checksums of header and frames, and no other changes.
    static func sealing(_ journal: [UInt8]) -> [UInt8] {
        guard journal.count >= JournalHeader.length else { return journal }
        var journal = journal
        let headerEnd = JournalHeader.length - 4
        put(CRC32C.checksum(of: journal[..<headerEnd]), into: &journal, at: headerEnd)
        guard let header = try? JournalHeader(journal[...]) else { return journal }  // Any rejection is fine.
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
