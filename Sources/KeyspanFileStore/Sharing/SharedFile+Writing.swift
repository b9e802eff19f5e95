package import KeyspanCore

extension SharedFile {
    /// Writes changes: as a record of the journal, or else in a new version of the file.
    ///
    /// Called under the exclusive lock, after ``catchUp(tolerantly:)``. Other processes see the changes at once. Without
    /// changes it writes only what the disk lacks of ``table``, and flushes what others wrote.
    ///
    /// - Parameters:
    ///   - delta: The changes; ``table`` has them on return.
    ///   - isFlushing: Whether the changes, and everything before them, are on the disk on return. If not, ``flush()``
    ///     follows, or a later write. A new version of the file is always flushed.
    /// - Throws: ``FileStoreError``; nothing has changed then, neither on the disk nor in ``table``, unless that was
    ///   ``FileStoreError/Step/flushFolder``.
    package mutating func write(_ delta: TableDelta, flushing isFlushing: Bool = true) throws(FileStoreError) {
        if delta.isEmpty, !isUnwritten {
            if isFlushing { try flush() }
            return
        }
        let version = position == nil || mustContinueAnew ? known?.version ?? .missing : nil
        guard policy.keepsJournal, !mustRewriteFile, try append(delta, continuing: version, flushing: isFlushing) else {
            let before = table
            table.apply(delta)
            isFolded = isFolded && delta.isEmpty
            do {
                return try replaceFile(isFold: false)
            } catch {
                table = before
                throw error
            }
        }
        isFolded = false
    }

    /// Brings everything into the file, and empties the journal.
    ///
    /// Called under the exclusive lock, after ``catchUp(tolerantly:)``.
    ///
    /// - Throws: ``FileStoreError``; the journal has everything then that it had before.
    package mutating func fold() throws(FileStoreError) {
        if !isFolded || lacksFile {
            // Others do not know what a version has of which no record tells.
            return try replaceFile(isFold: !mustContinueAnew)
        }
        // Someone has replaced the file, and nothing of the journal counts any more.
        guard mustContinueAnew, position != nil, let version = known?.version else { return }
        try emptyJournal(folded: nil, version, known?.signature)
        mustContinueAnew = false
    }

    /// - Returns: Whether there is room for a record in the journal; nothing was done if not.
    private mutating func append(
        _ delta: TableDelta,
        continuing version: FileVersion?,
        flushing isFlushing: Bool
    ) throws(FileStoreError) -> Bool {
        let file = known?.table ?? PropertyListTable()
        // What a file had that is gone now is in no version, so the record repeats it.
        let base = known?.version == .missing ? PropertyListTable() : file
        var writes = version == nil ? TableDelta() : TableDelta(from: base, to: table)
        writes.append(delta)
        let record = JournalRecord(
            continuing: version,
            writes: Self.writes(writes, over: file)
        )
        if isFlushing { try flushFile() }
        guard try append([record], at: try positionToWrite(), flushing: isFlushing, writing: delta) else {
            return false
        }
        table.apply(delta)
        mustContinueAnew = false
        return true
    }

    /// - Parameter delta: The changes, if those may be refused because of their size.
    /// - Returns: Whether there is room for them in the journal.
    @discardableResult
    private mutating func append(
        _ records: [JournalRecord],
        at position: JournalPosition,
        flushing isFlushing: Bool = true,
        writing delta: TableDelta? = nil
    ) throws(FileStoreError) -> Bool {
        if isFlushing { try flushNameOfJournal() }
        // A journal that this process has not flushed before is flushed once, so that damage in it can be told from what
        // a power failure leaves of the last records.
        if journalFlushes.size(before: position) == nil || journalFlushes.hasFailed { try flushJournal() }
        let flushed = journalFlushes.size(before: position) ?? 0
        var (bytes, end): ([UInt8], JournalPosition) = ([], position)
        for var record in records {
            record.unflushed = end.offset - flushed
            let frame = record.encoded(at: end)
            bytes += frame.bytes
            end = frame.end
        }
        if let delta {
            guard end.offset <= policy.journalRoom else { return false }
            try checkSize(with: delta, recordEndingAt: end)
        }
        try writeJournal(bytes, at: position.offset, flushing: isFlushing)
        self.position = end
        if isFlushing { journalFlushes.reach(end) }
        return true
    }

    /// Where the next record goes; a journal without a header gets one.
    private mutating func positionToWrite() throws(FileStoreError) -> JournalPosition {
        if let position { return position }
        // A process that emptied the journal may have ended before its flush: after a power failure the old records would be
        // behind what is left of this header.
        if let journal { try step(.writeJournal, journal.flush) }
        let header = JournalHeader(epoch: .random(in: 1 ... .max), folded: nil)
        try writeJournal(header.bytes, at: 0)
        // Until a record has named the version: if the first one cannot be written, the next one names it.
        mustContinueAnew = true
        journalFlushes.reach(header.start)
        position = header.start
        return header.start
    }

    private mutating func writeJournal(
        _ bytes: [UInt8],
        at offset: Int,
        flushing isFlushing: Bool = true
    ) throws(FileStoreError) {
        guard let journal else { return }
        if hasDamagedRest { try keepDamagedJournal() }
        let size = journalSize
        // What cannot be cut off again is cut off by the next write.
        journalSize = max(size, offset + bytes.count)
        do {
            try step(.writeJournal) { () throws(SystemCallError) in
                try journal.write(bytes, at: offset, ofSize: size, flushing: isFlushing)
            }
        } catch {
            // The flush that failed may have been that of others' bytes, too.
            journalFlushes.hasFailed = true
            throw error
        }
        journalSize = offset + bytes.count
    }

    /// Writes a new version of the file with all that is in the table.
    ///
    /// - Parameter isFold: Whether that is what the file and the journal hold already, so that others who know them need
    ///   not read the new version.
    mutating func replaceFile(isFold: Bool) throws(FileStoreError) {
        let bytes = try encoded()
        removeAbandonedFiles()
        let version = FileVersion(bytes)
        let end = position
        // Also without a journal of its own: those who keep one count on it.
        let history = end != nil ? history(replacing: known) : []
        if let end {
            // If the process ends between here and the emptying, the journal can be told to be in the file already.
            try append([JournalRecord(continuing: version, writes: [])], at: end)
        }
        if policy.recovers { try keepGoodCopy(bytes) }
        let signature = try AtomicFileReplacement(fileSystem: fileSystem, path: path)
            .replaceContents(with: bytes, instead: place, mayCreateFolder: isNew)
        known = FileContents(table: table, version: version, signature: signature, isFlushed: true)
        if journal != nil { journalFlushes.isNamed = true }
        (isNew, isFolded, mustContinueAnew, mustRewriteFile) = (false, true, false, false)
        guard end != nil || hasDamagedRest else { return }
        do {
            try emptyJournal(folded: isFold ? end : nil, version, signature)
        } catch {
            // What is written is in the file and on the disk, so it has not failed. The journal names that version and has
            // nothing that continues it; the next one empties it.
            if !isFold { return }
            throw error
        }
        guard let position, !history.isEmpty else { return }
        // Those who edit an older version need it, nobody else, so it is no failure to go without.
        _ = try? append(history, at: position)
    }

    private func encoded() throws(FileStoreError) -> [UInt8] {
        let bytes: [UInt8]?
        do {
            bytes = try codec.encode(table, upTo: policy.maximumSize)
        } catch {
            // Others share the file with another format, and wrote to the journal what only that one holds.
            throw .unwritable(path: path.text, error)
        }
        guard let bytes else { throw .tooLarge(.write, path: path.text, limit: policy.maximumSize) }
        return bytes
    }

    /// The records that let a version be told that was made of one before the fold: those of the last folds, and a new one.
    private func history(replacing known: FileContents?) -> [JournalRecord] {
        let now = fileSystem.time
        var history = ((try? readAllRecords()) ?? []).filter { $0.replaced?.isRecent(at: now) == true }
        if let known {
            let delta = TableDelta(from: known.table, to: table)
            history.append(
                JournalRecord(
                    replacing: ReplacedVersion(known.version, at: now),
                    writes: Self.writes(delta, over: known.table)
                )
            )
        }
        // Stores that change much do without, so that the journal stays short.
        var size = 0
        let kept = history.reversed().prefix { record in
            size += record.writes.reduce(0) { $0 + $1.key.utf8.count + ($1.value?.contentSize ?? 0) }
            return size <= Self.historyLimit
        }
        return kept.reversed()
    }

    /// How many bytes of keys and values are kept that are in the file already.
    private static let historyLimit = 64 << 10

    private static func writes(_ delta: TableDelta, over file: PropertyListTable) -> [JournalRecord.Write] {
        delta.writes.map { key, value in
            JournalRecord.Write(key: key, value: value, replaced: file[key].map(ValueFingerprint.init))
        }
    }

    /// Removes what processes left behind that were killed while they saved.
    private mutating func removeAbandonedFiles() {
        // Without a lock it may be the file of a process that is saving.
        guard mayHaveAbandonedFiles, !isWithoutLocks else { return }
        mayHaveAbandonedFiles = false
        let path = place.path
        let originals = [path, GoodCopy.path(beside: path), JournalFile.path(beside: path)].map(\.name)
        // They are in nobody's way, and some may belong to someone else.
        for name in (try? fileSystem.names(inFolder: path.folder)) ?? []
        where originals.contains(where: { TemporaryFile.isName(name, for: $0) }) {
            try? fileSystem.removeFile(path.sibling(name).text)
        }
    }

    private mutating func emptyJournal(
        folded end: JournalPosition?,
        _ version: FileVersion,
        _ signature: FileSignature?
    ) throws(FileStoreError) {
        guard let journal else { return }
        if hasDamagedRest { try keepDamagedJournal() }
        isFolded = false
        try step(.writeJournal) { () throws(SystemCallError) in try journal.empty() }
        (position, journalSize, isFolded) = (nil, 0, true)
        var folded: JournalHeader.Folded?
        if let end, let signature { folded = .init(epoch: end.epoch, end: end.offset, file: signature) }
        let header = JournalHeader(epoch: .random(in: 1 ... .max), folded: folded)
        let (record, position) = JournalRecord(continuing: version, writes: []).encoded(at: header.start)
        try writeJournal(header.bytes + record, at: 0)
        self.position = position
        journalFlushes.reach(position)
    }
}
