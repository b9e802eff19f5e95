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
        /// It is followed if its frame says where it ends and there are bytes behind that, so that it cannot be the last
        /// append, torn. Where not even the length in its frame can be relied on, that is not known, and `false`.
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
        do throws(JournalFrame.Fault) {
            var unread = bytes
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
                case .damaged(let isFollowed): .damaged(isFollowed: isFollowed)
                }
        }
        self.records = records
        self.end = end
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
