/// Flushes: which bytes are on the disk, and not only in the system's memory.
///
/// A process acknowledges no change on the word of another process: it first flushes all bytes that it does not know to be
/// flushed. This includes the names of the file and of the journal.
extension SharedFile {
    /// Whether all that was read from the file and its journal, or written there, is known to be on the disk.
    package var isFlushed: Bool {
        known?.isFlushed ?? true && extent.end.map(journalFlushes.covers) ?? true
    }

    /// Makes durable all writes of others, and writes of this process without a flush.
    ///
    /// Called under the lock, of either mode. Makes no system call if ``isFlushed``.
    ///
    /// - Throws: ``FileStoreError``; nothing has changed then.
    package mutating func flush() throws(FileStoreError) {
        try flushFile()
        try flushJournal()
    }

    /// Flushes the records of the journal that this process does not know to be on the disk, and the journal's name.
    mutating func flushJournal() throws(FileStoreError) {
        guard let position = extent.end, let journal, !journalFlushes.covers(position) else { return }
        if journalFlushes.size(before: position) != position.offset || journalFlushes.hasFailed {
            try rewriteLostBytes(before: position)
            do {
                try step(.writeJournal, journal.flush)
            } catch {
                handleFailedFlush()
                throw error
            }
            journalFlushes.reach(position)
        }
        try flushNameOfJournal()
    }

    /// Flushes a version of the file that another program wrote, and its name.
    mutating func flushFile() throws(FileStoreError) {
        guard case .present(var contents) = state, !contents.isFlushed else { return }
        do throws(SystemCallError) {
            try flushBytesOfFile()
        } catch {
            // The next flush could succeed without the bytes that this one lost, so only a new version of the file counts.
            if error.call != SystemCall.open.rawValue {
                contents.flush = .failed
                state = .present(contents)
            }
            throw FileStoreError(.flush, path: path.text, error)
        }
        try flushFolder()
        switch contents.flush {
        case .unknown, .done: contents.flush = .done(by: place.status?.signature)
        case .failed: return
        }
        state = .present(contents)
    }

    private func flushBytesOfFile() throws(SystemCallError) {
        let file: OpenFile
        do throws(SystemCallError) {
            file = try fileSystem.openFile(place.path.text, for: .reading)
        } catch let error where error.isNotFound {
            // Losing a file that was removed loses nothing: its values are in the table.
            return
        }
        // Nothing was written through this descriptor, so closing it cannot lose anything.
        defer { try? fileSystem.closeFile(file) }
        do throws(SystemCallError) {
            try fileSystem.flush(file)
        } catch let error where error.isNotOffered {
            // A read-only file system has nothing to flush.
            return
        }
    }

    /// Flushes the names of the folders that lead to a new file, before any change in it is acknowledged.
    mutating func flushNamesOfFolders() throws(FileStoreError) {
        try step(.flushFolder) { () throws(SystemCallError) in
            try fileSystem.flushNames(ofFoldersTo: place.path.folder)
        }
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
        // A journal that is made later gets its name after this flush.
        if journal != nil { journalFlushes.isNamed = true }
    }

    /// Notes that a flush of the journal failed, and writes the bytes again that it may have lost.
    ///
    /// This happens at once, because the system reports the failure only to those that had the journal open. A process that opens
    /// it later reads the bytes, flushes them without an error, and acknowledges them.
    mutating func handleFailedFlush() {
        journalFlushes.hasFailed = true
        // The next flush of this process repeats it, and reports a failure.
        if let position = extent.end { try? rewriteLostBytes(before: position) }
    }

    /// Writes bytes of the journal again that a failed flush may have lost.
    ///
    /// The system may have dropped the bytes, so they count only if they still make the same records.
    mutating func rewriteLostBytes(before position: JournalPosition) throws(FileStoreError) {
        guard journalFlushes.hasFailed, let journal else { return }
        let flushed = journalFlushes.end(before: position)
        let offset = flushed?.offset ?? 0
        let bytes = try step(.readJournal) { () throws(SystemCallError) in
            try journal.read(from: offset, to: position.offset)
        }
        let start = flushed ?? (try? JournalHeader(bytes[...]))?.start
        let end = start.map { JournalReading(bytes.dropFirst($0.offset - offset), from: $0).end }
        guard end == position else {
            // The table has all values: the next record cuts the rest off and repeats the lost ones.
            extent.cut(to: end?.epoch == position.epoch ? end : nil)
            coverage.handle(.valuesLost)
            throw FileStoreError(.readJournal, path: path.text, SystemCallError.lostBytes(of: journal.path.text))
        }
        try step(.writeJournal) { () throws(SystemCallError) in
            try journal.rewrite(bytes, at: offset)
        }
    }
}
