/// What this process knows to be on the disk of the journal that it has open.
///
/// Another process may have ended between a write and its flush, so bytes count only after a flush by this process.
struct JournalFlushes: Sendable {
    /// Whether the journal's name is on the disk.
    var isNamed = false
    /// Whether a flush failed, so that the system may count bytes as written that the disk does not have.
    ///
    /// Linux does not write such bytes again with a later flush. They have to be written to the journal once more.
    var hasFailed = false
    private var end: JournalPosition?

    /// Notes that the journal is on the disk up to a position.
    mutating func reach(_ position: JournalPosition) {
        end = position
        hasFailed = false
    }

    /// The position up to which the journal is on the disk; `nil` if this process has not flushed this epoch of the journal.
    func end(before position: JournalPosition) -> JournalPosition? {
        guard let end, end.epoch == position.epoch, end.offset <= position.offset else { return nil }
        return end
    }

    /// How many bytes before a position are on the disk; `nil` if this process has not flushed this epoch of the journal.
    func size(before position: JournalPosition) -> Int? {
        end(before: position)?.offset
    }

    /// Whether everything before a position is on the disk, and so is the journal's name.
    func covers(_ position: JournalPosition) -> Bool {
        isNamed && !hasFailed && end == position
    }
}
