import KeyspanCore

/// What the records of a journal do to a version of the file that none of them continues.
///
/// Someone who does not know of the journal has replaced the file, and what that changed is later than all records. A
/// record's write counts if the file still has what the write replaced; then the later writes to the key count as well.
///
/// That the file has what was there before a fold tells two things. If it is the whole version, someone wanted it back. If
/// it is not, and the fold was a moment ago, someone has changed a version that was read before it.
struct JournalReplay {
    /// What changes.
    let delta: TableDelta

    /// Replays records.
    ///
    /// - Parameters:
    ///   - records: All records of the journal.
    ///   - contents: The file.
    ///   - time: The time now, in milliseconds since 1970.
    init(of records: [JournalRecord], on contents: FileContents, at time: Int64) {
        let isRestored = records.contains { $0.replaced?.version == contents.version }
        var delta = TableDelta()
        for record in records {
            if let replaced = record.replaced, isRestored || !replaced.isRecent(at: time) { continue }
            for write in record.writes {
                let present = contents.table[write.key].map(ValueFingerprint.init)
                guard present == write.replaced || delta.writes(write.key) else { continue }
                delta.write(write.value, forKey: write.key)
            }
        }
        self.delta = delta
    }
}
