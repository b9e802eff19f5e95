/// The frame of a record: its length, two checksums and the payload.
///
/// | Bytes | Field |
/// | --- | --- |
/// | 4 | the length of the payload, little-endian |
/// | 4 | CRC-32C that continues the chain over the length |
/// | 4 | CRC-32C that continues that one over the payload: the chain of the next frame |
/// | … | the payload |
///
/// The length has a checksum of its own, so that a damaged payload can be told from one that is not all there.
struct JournalFrame {
    /// What is between the frame's head and its end.
    let payload: ArraySlice<UInt8>
    /// The position behind it.
    let end: JournalPosition

    /// Whether there are bytes behind it.
    let isFollowed: Bool

    /// Why bytes are no frame.
    enum Fault: Error {
        /// They end before the frame does.
        case incomplete
        /// A checksum does not fit.
        case damaged
        /// Both checksums fit, but the payload is not that of a record.
        case unknown(isFollowed: Bool)
    }

    private static let fieldLength = 4
    static let headLength = 3 * fieldLength

    /// Puts a payload into a frame.
    static func encode(_ payload: [UInt8], at position: JournalPosition) -> (bytes: [UInt8], end: JournalPosition) {
        let length = UInt32(payload.count).littleEndianBytes
        let lengthChecksum = CRC32C.checksum(of: length[...], continuing: position.chain)
        let checksum = CRC32C.checksum(of: payload[...], continuing: lengthChecksum)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(headLength + payload.count)
        bytes += length + lengthChecksum.littleEndianBytes + checksum.littleEndianBytes
        bytes += payload
        return (bytes, position.advanced(by: bytes.count, chain: checksum))
    }

    /// Reads the frame at the front of bytes.
    init(frontOf bytes: ArraySlice<UInt8>, at position: JournalPosition) throws(Fault) {
        var rest = bytes
        guard rest.count >= 2 * Self.fieldLength else { throw .incomplete }
        let lengthChecksum = CRC32C.checksum(of: rest.prefix(Self.fieldLength), continuing: position.chain)
        let length = UInt32(littleEndianFrom: &rest)
        guard UInt32(littleEndianFrom: &rest) == lengthChecksum else { throw .damaged }
        guard rest.count >= Self.fieldLength else { throw .incomplete }
        let checksum = UInt32(littleEndianFrom: &rest)
        guard rest.count >= Int64(length) else { throw .incomplete }
        payload = rest.prefix(Int(length))
        isFollowed = rest.count > payload.count
        guard CRC32C.checksum(of: payload, continuing: lengthChecksum) == checksum else {
            throw .damaged
        }
        end = position.advanced(by: Self.headLength + payload.count, chain: checksum)
    }
}

extension JournalPosition {
    fileprivate func advanced(by length: Int, chain: UInt32) -> JournalPosition {
        JournalPosition(epoch: epoch, offset: offset + length, chain: chain)
    }
}
