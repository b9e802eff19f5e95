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
        try flushJournal()
    }

    /// Flushes the records of the journal that this process does not know to be on the disk, and the journal's name.
    mutating func flushJournal() throws(FileStoreError) {
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
            } catch {
                // The next flush could succeed without the bytes that this one lost.
                mustRewriteFile = true
                throw error
            }
        }
        try flushFolder()
        self.known?.isFlushed = true
        self.known?.flushed = place.status?.signature
    }

    /// Flushes the names of the folders that lead to a new file, before anything is acknowledged that is in them.
    mutating func flushNamesOfFolders() throws(FileStoreError) {
        guard isNew, !hasFlushedFolders else { return }
        try step(.flushFolder) { () throws(SystemCallError) in
            try fileSystem.flushNames(ofFoldersTo: place.path.folder)
        }
        hasFlushedFolders = true
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
    ///
    /// The system may have given the bytes up, so they count only if they still make the same records.
    mutating func rewriteLostBytes(before position: JournalPosition) throws(FileStoreError) {
        guard journalFlushes.hasFailed, let journal else { return }
        let flushed = journalFlushes.end(before: position)
        let bytes = try step(.readJournal) { () throws(SystemCallError) in
            try journal.read(from: flushed?.offset ?? 0, to: position.offset)
        }
        let start = flushed ?? (try? JournalHeader(bytes[...]))?.start
        let end = start.map { JournalReading(bytes.dropFirst($0.offset - (flushed?.offset ?? 0)), from: $0).end }
        guard end == position else {
            // The table has all of it: the next record cuts the rest off and repeats what was lost.
            (self.position, mustContinueAnew, isFolded) = (end?.epoch == position.epoch ? end : nil, true, false)
            throw FileStoreError(.readJournal, path: path.text, SystemCallError.lostBytes(of: journal.path.text))
        }
        try step(.writeJournal) { () throws(SystemCallError) in
            try journal.rewrite(bytes, at: flushed?.offset ?? 0)
        }
    }
}
