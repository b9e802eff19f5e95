/// What is on the disk, and not only in the system's memory.
///
/// A process acknowledges a change on the word of no other process: what it did not flush itself, and does not know to be
/// flushed, it flushes first. The names of the file and of the journal count as well as their bytes.
extension SharedFile {
    /// Whether all that was read from the file and its journal, or written there, is known to be on the disk.
    package var isFlushed: Bool {
        known?.isFlushed ?? true && position.map(journalFlushes.covers) ?? true
    }

    /// Makes durable what others wrote, and what was written without a flush.
    ///
    /// Called under the lock, of either kind. Costs no system call if ``isFlushed``.
    ///
    /// - Throws: ``FileStoreError``; everything is as it was then.
    package mutating func flush() throws(FileStoreError) {
        try flushFile()
        guard let position, let journal, !journalFlushes.covers(position) else { return }
        if journalFlushes.size(before: position) != position.offset || journalFlushes.hasFailed {
            try rewriteLostBytes(before: position)
            do {
                try step(.writeJournal, journal.flush)
            } catch {
                journalFlushes.hasFailed = true
                throw error
            }
            journalFlushes.reach(position)
        }
        try flushNameOfJournal()
    }

    /// Flushes a version of the file that someone else wrote, and its name.
    mutating func flushFile() throws(FileStoreError) {
        guard let known, !known.isFlushed else { return }
        try step(.flush) { () throws(SystemCallError) in
            let file: OpenFile
            do throws(SystemCallError) {
                file = try fileSystem.openFile(place.path.text, for: .reading)
            } catch let error where error.isNotFound {
                // A file that is gone takes nothing away that is in the table.
                return
            }
            // Nothing was written through this descriptor, so closing it cannot lose anything.
            defer { try? fileSystem.closeFile(file) }
            do throws(SystemCallError) {
                try fileSystem.flush(file)
            } catch let error where error.isNotOffered {
                // File systems that nobody can write to have nothing to flush.
                return
            }
        }
        try flushFolder()
        self.known?.isFlushed = true
    }

    /// Flushes the name of the journal, unless this process has done that since it opened the journal.
    mutating func flushNameOfJournal() throws(FileStoreError) {
        guard journal != nil, !journalFlushes.isNamed else { return }
        try flushFolder()
    }

    /// Flushes the names in the folder of the file and the journal.
    mutating func flushFolder() throws(FileStoreError) {
        try step(.flushFolder) { () throws(SystemCallError) in
            let folder = try fileSystem.openFile(place.path.folder, for: .folder)
            // Nothing was written through this descriptor, so closing it cannot lose anything.
            defer { try? fileSystem.closeFile(folder) }
            try fileSystem.flushFolder(folder)
        }
        journalFlushes.isNamed = true
    }

    /// Writes bytes of the journal again that a failed flush may have lost.
    mutating func rewriteLostBytes(before position: JournalPosition) throws(FileStoreError) {
        guard journalFlushes.hasFailed, let journal else { return }
        let start = journalFlushes.size(before: position) ?? 0
        let size = journalSize
        try step(.writeJournal) { () throws(SystemCallError) in
            let bytes = try journal.read(from: start, to: position.offset)
            try journal.write(bytes, at: start, ofSize: min(size, start), flushing: false)
        }
    }
}
