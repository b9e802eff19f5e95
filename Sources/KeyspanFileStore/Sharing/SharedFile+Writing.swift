import KeyspanCore

extension SharedFile {
    /// Makes changes durable: as a record of the journal, or else in a new version of the file.
    ///
    /// Called under the exclusive lock, after ``catchUp(tolerantly:)``.
    ///
    /// - Parameter delta: What is changed; ``table`` has it on return.
    /// - Throws: ``FileStoreError``; nothing has changed then, neither on the disk nor in ``table``, unless that was
    ///   ``FileStoreError/Step/flushFolder``.
    package mutating func write(_ delta: TableDelta) throws(FileStoreError) {
        guard policy.keepsJournal,
            try append(delta, continuing: position == nil || mustContinueAnew ? known?.version ?? .missing : nil)
        else {
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
        if !isFolded { return try replaceFile(isFold: true) }
        // Someone has replaced the file, and nothing of the journal counts any more.
        guard mustContinueAnew, position != nil, let version = known?.version else { return }
        try emptyJournal(folded: nil, version, known?.signature)
        mustContinueAnew = false
    }

    /// - Returns: Whether there is room for a record in the journal; nothing was done if not.
    private mutating func append(
        _ delta: TableDelta,
        continuing version: FileVersion?
    ) throws(FileStoreError) -> Bool {
        let file = known?.table ?? PropertyListTable()
        var writes = version == nil ? TableDelta() : TableDelta(from: file, to: table)
        writes.append(delta)
        let record = JournalRecord(
            continuing: version,
            writes: Self.writes(writes, over: file)
        )
        let header = JournalHeader(epoch: .random(in: 1 ... .max), folded: nil)
        let (bytes, end) = record.encoded(at: position ?? header.start)
        guard end.offset <= policy.journalRoom else { return false }
        try checkSize(with: delta, recordEndingAt: end)
        if position == nil { try begin(header) }
        try append(bytes, endingAt: end)
        table.apply(delta)
        mustContinueAnew = false
        return true
    }

    private mutating func append(_ record: JournalRecord, at position: JournalPosition) throws(FileStoreError) {
        let (bytes, end) = record.encoded(at: position)
        try append(bytes, endingAt: end)
    }

    private mutating func append(_ record: [UInt8], endingAt end: JournalPosition) throws(FileStoreError) {
        try writeJournal(record, at: end.offset - record.count)
        position = end
    }

    /// Gives a journal a header that has none.
    private mutating func begin(_ header: JournalHeader) throws(FileStoreError) {
        try writeJournal(header.bytes, at: 0)
        do {
            try flushFolder()
        } catch {
            // Otherwise the next attempt would find a header, and not flush the name of the journal again.
            try? journal?.empty()
            journalSize = 0
            throw error
        }
        // Until a record has named the version: if the first one cannot be written, the next one names it.
        mustContinueAnew = true
        position = header.start
    }

    private mutating func writeJournal(_ bytes: [UInt8], at offset: Int) throws(FileStoreError) {
        guard let journal else { return }
        if hasDamagedRest { try keepDamagedJournal() }
        let size = journalSize
        // What cannot be cut off again is cut off by the next write.
        journalSize = max(size, offset + bytes.count)
        try step(.writeJournal) { () throws(SystemCallError) in try journal.write(bytes, at: offset, ofSize: size) }
        journalSize = offset + bytes.count
    }

    private func flushFolder() throws(FileStoreError) {
        try step(.flushFolder) { () throws(SystemCallError) in
            let folder = try fileSystem.openFile(place.path.folder, for: .folder)
            // Nothing was written through this descriptor, so closing it cannot lose anything.
            defer { try? fileSystem.closeFile(folder) }
            try fileSystem.flushFolder(folder)
        }
    }

    /// Writes a new version of the file with all that is in the table.
    ///
    /// - Parameter isFold: Whether that is what the file and the journal hold already, so that others who know them need
    ///   not read the new version.
    mutating func replaceFile(isFold: Bool) throws(FileStoreError) {
        let bytes = try encoded()
        if bytes.count > policy.maximumSize {
            throw .tooLarge(.write, path: path.text, size: bytes.count, limit: policy.maximumSize)
        }
        removeAbandonedFiles()
        let version = FileVersion(bytes)
        let end = position
        let history = policy.keepsJournal && end != nil ? history(replacing: known) : []
        if let end {
            // If the process ends between here and the emptying, the journal can be told to be in the file already.
            try append(JournalRecord(continuing: version, writes: []), at: end)
        }
        if policy.recovers { try keepGoodCopy(bytes) }
        let signature = try AtomicFileReplacement(fileSystem: fileSystem, path: path)
            .replaceContents(with: bytes, instead: place, mayCreateFolder: isNew)
        known = FileContents(table: table, version: version, signature: signature)
        (isNew, isFolded, mustContinueAnew) = (false, true, false)
        guard end != nil || hasDamagedRest else { return }
        do {
            try emptyJournal(folded: isFold ? end : nil, version, signature)
        } catch {
            // What is written is in the file and on the disk, so it has not failed. The journal names that version and has
            // nothing that continues it; the next one empties it.
            if !isFold { return }
            throw error
        }
        for record in history {
            // Those who edit an older version need it, nobody else, so it is no failure to go without.
            guard let position, (try? append(record, at: position)) != nil else { return }
        }
    }

    private func encoded() throws(FileStoreError) -> [UInt8] {
        do {
            return try codec.encode(table)
        } catch {
            // Others share the file with another format, and wrote to the journal what only that one holds.
            throw .unwritable(path: path.text, error)
        }
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
    }
}
