/// How a file is shared and kept.
package struct FilePolicy: Sendable, Hashable {
    /// Whether changes go to a journal beside the file first.
    package var keepsJournal: Bool
    /// Whether a copy of the last good version is kept, and restored in the place of a file that cannot be parsed.
    package var recovers: Bool
    /// The longest time to wait for a process that has the file locked.
    package var lockLimit: Duration
    /// The size of the largest file that is read or written.
    package var maximumSize: Int

    /// The size of the largest journal that is written; beyond that the file is written in its place.
    ///
    /// As large as the file, and not smaller than what is brought into the file only after a delay.
    var journalRoom: Int { max(maximumSize, 2 << 20) }

    /// The size of the largest journal that is read; more than is written, because others may have other limits.
    var maximumJournalSize: Int { journalRoom > .max / 2 ? .max : 2 * journalRoom }

    /// Makes a policy.
    package init(
        keepsJournal: Bool = true,
        recovers: Bool = false,
        lockLimit: Duration = .seconds(10),
        maximumSize: Int = .max
    ) {
        self.keepsJournal = keepsJournal
        self.recovers = recovers
        self.lockLimit = lockLimit
        self.maximumSize = maximumSize
    }
}
