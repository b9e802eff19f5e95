internal import KeyspanCore

/// How large the file would be with the records of the journal up to a position.
struct MeasuredSize: Sendable {
    let size: Int
    let version: FileVersion?
    let position: JournalPosition
}

extension SharedFile {
    /// Refuses changes with which the file would be too large, together with what others wrote to the journal.
    ///
    /// Measuring takes as long as writing the file. So records count as if the file grew by all of them, and the file is
    /// measured only when it would be too large by that. Changes that only remove keys make room, and are not refused.
    ///
    /// - Parameters:
    ///   - delta: The changes to ``table``.
    ///   - end: The position behind the record of the changes, which is not written yet.
    mutating func checkSize(
        with delta: TableDelta,
        recordEndingAt end: JournalPosition
    ) throws(FileStoreError) {
        guard delta.writes.contains(where: { $0.value != nil }) else { return }
        var estimate = known?.version.size ?? 0
        var start = JournalHeader.length
        if let measuredSize, measuredSize.version == known?.version, measuredSize.position.epoch == end.epoch,
            measuredSize.position.offset <= end.offset
        {
            (estimate, start) = (measuredSize.size, measuredSize.position.offset)
        }
        // In the file JSON text is not longer than in the record, but XML is, and UTF-16 in a binary property list.
        let growth = (end.offset - start).multipliedReportingOverflow(by: codec.isExact ? 2 : 8)
        guard growth.overflow || growth.partialValue > policy.maximumSize - estimate else { return }
        var changed = table
        changed.apply(delta)
        // What this format cannot hold is told by the fold.
        guard let measured = try? codec.encode(changed).count else { return }
        if measured > policy.maximumSize, measured > (try? codec.encode(table).count) ?? 0 {
            throw .tooLarge(.writeJournal, path: path.text, size: measured, limit: policy.maximumSize)
        }
        measuredSize = MeasuredSize(size: measured, version: known?.version, position: end)
    }
}
