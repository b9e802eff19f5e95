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
        /// torn. Where not even the length in its frame can be relied on, that is not known, and `false`.
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
        // No append that was torn leaves a frame with the right checksums.
        var isWhole = false
        do throws(JournalFrame.Fault) {
            while !unread.isEmpty {
                isWhole = false
                let frame = try JournalFrame(frontOf: unread, at: end)
                isWhole = true
                records.append(try Self.record(in: frame))
                end = frame.end
                unread = unread[frame.payload.endIndex...]
            }
            rest = .nothing
        } catch {
            rest =
                switch error {
                case .incomplete: .incomplete
                case .damaged(let isFollowed):
                    .damaged(isFollowed: isFollowed && (isWhole || Self.wasFlushed(frameAt: end, unread)))
                }
        }
        self.records = records
        self.end = end
    }

    /// Whether a record behind a damaged frame was written when the frame was on the disk.
    private static func wasFlushed(frameAt position: JournalPosition, _ bytes: ArraySlice<UInt8>) -> Bool {
        let (rest, positions) = JournalFrame.skipDamaged(frontOf: bytes, at: position)
        for start in positions {
            var (unread, end) = (rest, start)
            while let frame = try? JournalFrame(frontOf: unread, at: end), let record = try? record(in: frame) {
                if end.offset - record.unflushed > position.offset { return true }
                end = frame.end
                unread = unread[frame.payload.endIndex...]
            }
        }
        return false
    }

    private static func record(in frame: JournalFrame) throws(JournalFrame.Fault) -> JournalRecord {
        do {
            let table = try JSONText.parseTable(Array(frame.payload))
            if let record = JournalRecord(table) { return record }
        } catch {
            // With the right checksum it is the text of some other format; it is no record for the same reason.
        }
        throw .damaged(isFollowed: frame.isFollowed)
    }
}
