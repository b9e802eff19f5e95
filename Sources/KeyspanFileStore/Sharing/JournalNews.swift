/// What a look at the journal brought.
struct JournalNews: Sendable {
    /// The records: those behind the position up to which it was known, or all of them.
    var records: [JournalRecord] = []
    /// Whether it is not the journal that was known, so that the records are all there are.
    var isRestart = false
    /// What the file had when this journal was begun, if that is known.
    var folded: JournalHeader.Folded?
    /// How far it has been read now; `nil` if it has no header.
    var end: JournalPosition?
    /// The number of bytes in it.
    var size = 0
    /// Whether what is behind the end is damage, not an append that was cut off.
    var hasDamagedRest = false
}
