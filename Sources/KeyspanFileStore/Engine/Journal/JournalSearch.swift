/// A search for whole records behind damage, whose positions and chains are unknown.
///
/// The checksum of a payload continues the checksum of its length, and both are in the frame. So a frame can be verified
/// without the frames before it. A record is a JSON object, whose first byte is another cheap test for a frame.
struct JournalSearch {
    private let bytes: ArraySlice<UInt8>
    /// How many bytes may still be read to compare checksums.
    ///
    /// With this limit the search takes linear time, even for bytes that were made to slow it down.
    private var effort: Int

    /// How often a search may read each byte on average.
    private static let effortForEachByte = 8
    private static let objectBegin = UInt8(ascii: "{")

    /// Begins a search in all bytes behind a header or a whole record.
    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        effort = bytes.count * Self.effortForEachByte
    }

    /// Whether a whole record behind damaged bytes was written when those were on the disk, so that no crash has torn them.
    ///
    /// Whole records at the front do not count: they do not continue the chain before them, so they are the rest of an
    /// older journal in the same place and not the damaged records.
    ///
    /// - Parameter bytes: The journal from the first damaged byte's record on.
    static func provesFlush(ofDamageAt bytes: ArraySlice<UInt8>) -> Bool {
        var search = JournalSearch(bytes)
        guard let rest = search.skipForeignRecords() else { return true }
        return search.findRecord(from: rest) { payload in
            guard let record = JournalRecord(payload: payload) else { return true }
            return payload.startIndex - UnchainedFrame.headLength - record.unflushed > bytes.startIndex
        }
    }

    /// Whether there is, at any position, a record with a write, or one with a matching checksum and unknown content.
    static func findsWrites(in bytes: ArraySlice<UInt8>) -> Bool {
        var search = JournalSearch(bytes)
        return search.findRecord(from: bytes.startIndex) { payload in
            guard let record = JournalRecord(payload: payload) else { return true }
            return !record.writes.isEmpty
        }
    }

    /// The index behind the records at the front, each of which continues the one before; `nil` if the effort is used up.
    private mutating func skipForeignRecords() -> Int? {
        var (index, chain) = (bytes.startIndex, UInt32?.none)
        while let frame = UnchainedFrame(frontOf: bytes[index...]), chain.map(frame.continues) ?? true {
            guard let isWhole = isWhole(frame) else { return nil }
            if !isWhole { break }
            (index, chain) = (frame.payload.endIndex, frame.checksum)
        }
        return index == bytes.startIndex ? index + 1 : index
    }

    /// Looks for a frame from an index on.
    ///
    /// - Returns: Whether there is one with such a payload; also `true` if the effort is used up, because then it is unknown.
    private mutating func findRecord(from start: Int, where isWanted: (ArraySlice<UInt8>) -> Bool) -> Bool {
        var begin = start + UnchainedFrame.headLength
        while begin < bytes.endIndex, let payload = bytes[begin...].firstIndex(of: Self.objectBegin) {
            begin = payload + 1
            guard let frame = UnchainedFrame(frontOf: bytes[(payload - UnchainedFrame.headLength)...]) else { continue }
            guard let isWhole = isWhole(frame) else { return true }
            if isWhole, isWanted(frame.payload) { return true }
        }
        return false
    }

    private mutating func isWhole(_ frame: UnchainedFrame) -> Bool? {
        guard frame.payload.first == Self.objectBegin else { return false }
        effort -= frame.payload.count
        return effort < 0 ? nil : frame.isWhole
    }
}

/// A possible frame, read without the frames before it.
private struct UnchainedFrame {
    static let headLength = JournalFrame.headLength

    private let length: ArraySlice<UInt8>
    private let lengthChecksum: UInt32
    let checksum: UInt32
    let payload: ArraySlice<UInt8>

    /// Reads the fields at the front of bytes, if the payload that they announce is there.
    init?(frontOf bytes: ArraySlice<UInt8>) {
        var rest = bytes
        guard rest.count >= Self.headLength else { return nil }
        length = rest.prefix(4)
        let count = UInt32(littleEndianFrom: &rest)
        lengthChecksum = UInt32(littleEndianFrom: &rest)
        checksum = UInt32(littleEndianFrom: &rest)
        guard count > 0, rest.count >= Int64(count) else { return nil }
        payload = rest.prefix(Int(count))
    }

    var isWhole: Bool { CRC32C.checksum(of: payload, continuing: lengthChecksum) == checksum }

    func continues(_ chain: UInt32) -> Bool { CRC32C.checksum(of: length, continuing: chain) == lengthChecksum }
}
