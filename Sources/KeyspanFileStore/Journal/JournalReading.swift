import KeyspanCore

/// The records of a journal from a position on, up to the end or to the first bytes that are none.
package struct JournalReading: Sendable {
    /// What is behind the last whole record.
    package enum Rest: Sendable, Hashable {
        /// Nothing.
        case nothing
        /// The beginning of a record whose end is missing: an append that was cut off, or has not finished.
        case incomplete
        /// Something that is no record.
        ///
        /// It is followed if a later record shows that it was on the disk before, so that it cannot be an append that was
        /// torn. That record may be anywhere behind it, because the length in its frame cannot always be relied on.
        case damaged(isFollowed: Bool)
    }

    /// The records, in their order.
    package let records: [JournalRecord]
    /// The position behind the last whole record: where reading goes on once there is more.
    package let end: JournalPosition
    /// What is behind that.
    package let rest: Rest

    /// Reads all records.
    ///
    /// - Parameters:
    ///   - bytes: The journal from that position on.
    ///   - position: The journal's start, or the end of an earlier reading.
    package init(_ bytes: ArraySlice<UInt8>, from position: JournalPosition) {
        var records: [JournalRecord] = []
        var end = position
        var unread = bytes
        do throws(JournalFrame.Fault) {
            while !unread.isEmpty {
                let frame = try JournalFrame(frontOf: unread, at: end)
                records.append(try Self.record(in: frame))
                end = frame.end
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
        self.end = end
    }

    private static func record(in frame: JournalFrame) throws(JournalFrame.Fault) -> JournalRecord {
        // With the right checksum it is of some other format, and no record for the same reason.
        guard let record = JournalRecord(payload: frame.payload) else {
            throw .unknown(isFollowed: frame.isFollowed)
        }
        return record
    }
}

extension JournalRecord {
    /// Reads the payload of a frame, or answers `nil` if it is that of no record.
    init?(payload: ArraySlice<UInt8>) {
        guard let table = try? JSONText.parseTable(Array(payload)) else { return nil }
        self.init(table)
    }
}
