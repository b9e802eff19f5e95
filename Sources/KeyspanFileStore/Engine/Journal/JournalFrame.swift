internal import KeyspanCore

/// The frame of a record: its length, two checksums and the payload.
///
/// | Bytes | Field |
/// | --- | --- |
/// | 4 | the length of the payload, little-endian |
/// | 4 | CRC-32C that continues the chain over the length |
/// | 4 | CRC-32C that continues that one over the payload: the chain of the next frame |
/// | … | the payload |
///
/// The length has a checksum of its own, so that a damaged payload can be distinguished from one that is cut off.
struct JournalFrame {
    /// The bytes between the frame's head and its end.
    let payload: ArraySlice<UInt8>
    /// The position behind it.
    let end: JournalPosition

    /// Whether there are bytes behind it.
    let isFollowed: Bool

    /// Why bytes are not a frame.
    enum Fault: Error {
        /// They end before the frame does.
        case incomplete
        /// A checksum does not match.
        case damaged
        /// Both checksums match, but the payload is not that of a record.
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

    /// The chain behind a frame, which depends on the epoch and on all frames before it; `nil` unless the bytes are a whole frame.
    static func chain(behind frame: ArraySlice<UInt8>) -> UInt32? {
        guard frame.count >= headLength else { return nil }
        var head = frame.prefix(headLength)
        let length = UInt32(littleEndianFrom: &head)
        let lengthChecksum = UInt32(littleEndianFrom: &head)
        let chain = UInt32(littleEndianFrom: &head)
        let payload = frame.dropFirst(headLength)
        guard payload.count == length, CRC32C.checksum(of: payload, continuing: lengthChecksum) == chain else {
            return nil
        }
        return chain
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

/// The records of a journal from a position on, up to the end or to the first bytes that are not a record.
package struct JournalReading: Sendable {
    /// The bytes behind the last whole record.
    package enum Rest: Sendable, Hashable {
        /// There are none, or only zeros: space that is reserved for more records.
        case nothing
        /// The beginning of a record whose end is missing: an append that was cut off or is still running.
        case incomplete
        /// Bytes that are not a record.
        ///
        /// They are followed if a later record shows that they were on the disk before it, so that they cannot be a torn
        /// append. That record may be anywhere behind them, because the length in a damaged frame is not reliable.
        case damaged(isFollowed: Bool)
    }

    /// The records, in their order.
    package let records: [JournalRecord]
    /// The positions behind the records.
    let ends: [JournalPosition]
    /// The position behind the last whole record: where reading continues once there are more.
    package let end: JournalPosition
    /// The bytes behind that position.
    package let rest: Rest

    /// Reads all records.
    ///
    /// - Parameters:
    ///   - bytes: The journal from that position on.
    ///   - position: The journal's start, or the end of an earlier reading.
    package init(_ bytes: ArraySlice<UInt8>, from position: JournalPosition) {
        var records: [JournalRecord] = []
        var ends: [JournalPosition] = []
        var end = position
        var unread = bytes
        do throws(JournalFrame.Fault) {
            // The checksum of a length of zero may be zero, too, so zeros are compared before they are read as a frame.
            while !unread.isEmpty, !unread.areZeros {
                let frame = try JournalFrame(frontOf: unread, at: end)
                records.append(try Self.record(in: frame))
                end = frame.end
                ends.append(end)
                unread = unread[frame.payload.endIndex...]
            }
            rest = .nothing
        } catch {
            rest =
                switch error {
                case .incomplete: .incomplete
                case .damaged: .damaged(isFollowed: JournalSearch.provesFlush(ofDamageAt: unread))
                case .unknown(let isFollowed): .damaged(isFollowed: isFollowed)
                }
        }
        self.records = records
        self.ends = ends
        self.end = end
    }

    private static func record(in frame: JournalFrame) throws(JournalFrame.Fault) -> JournalRecord {
        // The checksum matches, so a payload that is not a record has another format.
        guard let record = JournalRecord(payload: frame.payload) else {
            throw .unknown(isFollowed: frame.isFollowed)
        }
        return record
    }
}

extension ArraySlice<UInt8> {
    /// Whether all bytes are zeros.
    var areZeros: Bool { allSatisfy { $0 == 0 } }
}
