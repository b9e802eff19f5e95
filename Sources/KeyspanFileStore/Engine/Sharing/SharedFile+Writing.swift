package import KeyspanCore

extension SharedFile {
    /// Writes changes: as a record of the journal, or else in a new version of the file.
    ///
    /// Called under the exclusive lock, after ``catchUp(tolerantly:)``. Other processes see the changes at once. Without
    /// changes this writes only the values of ``table`` that the disk lacks, and flushes what others wrote.
    ///
    /// - Parameters:
    ///   - delta: The changes; ``table`` has them on return.
    ///   - isFlushing: Whether the changes, and everything before them, are on the disk on return. If not, ``flush()``
    ///     follows, or a later write. A new version of the file is always flushed.
    /// - Throws: ``FileStoreError``; nothing has changed then, neither on the disk nor in ``table``, unless the step is
    ///   ``FileStoreError/Step/flushFolder``.
    package mutating func write(_ delta: TableDelta, flushing isFlushing: Bool = true) throws(FileStoreError) {
        if delta.isEmpty, !isUnwritten {
            if isFlushing { try flush() }
            return
        }
        let version = extent.end == nil || !coverage.continuesFile ? known?.version ?? .missing : nil
        guard options.keepsJournal, !mustBeReplaced, try append(delta, continuing: version, flushing: isFlushing) else {
            let before = table
            table.apply(delta)
            if !delta.isEmpty { coverage.handle(.tableExtended) }
            do throws(FileStoreError) {
                return try replaceFile(isCheckpoint: false)
            } catch {
                table = before
                throw error
            }
        }
    }

    /// Brings everything into the file, and empties the journal.
    ///
    /// Called under the exclusive lock, after ``catchUp(tolerantly:)``.
    ///
    /// - Throws: ``FileStoreError``; the journal is then unchanged.
    package mutating func checkpoint() throws(FileStoreError) {
        if !coverage.isCheckpointed || lacksFile {
            // Other processes must read a version that contains values without a record.
            return try replaceFile(isCheckpoint: coverage.continuesFile)
        }
        // Another program has replaced the file, and none of the journal's records count anymore.
        guard !coverage.continuesFile, extent.end != nil, let version = known?.version else { return }
        try emptyJournal(after: nil, version, known?.signature)
        coverage.handle(.continuationRestored)
    }

    /// Appends a record with changes, and with what the disk lacks if the record names a version.
    ///
    /// - Returns: Whether there was room for the record in the journal; if not, nothing was done.
    private mutating func append(
        _ delta: TableDelta,
        continuing version: FileVersion?,
        flushing isFlushing: Bool
    ) throws(FileStoreError) -> Bool {
        let file = known?.table ?? PropertyListTable()
        // The values of a removed file are in no version, so the record repeats them.
        let base = known?.version == .missing ? PropertyListTable() : file
        var writes = version == nil ? TableDelta() : TableDelta(from: base, to: table)
        writes.append(delta)
        if version != nil, extent.end != nil {
            // A process that has read the records applies this one to its table, where a removal must not be missing.
            let groups = codec.form.current.groups
            for key in try keysOfRecords() where !writes.writes(key) && table[key] == nil && !groups.contains(key) {
                writes.write(nil, forKey: key)
            }
        }
        let record = JournalRecord(
            continuing: version,
            writes: journalWrites(writes, over: file)
        )
        if isFlushing { try flushFile() }
        guard try append([record], at: try positionToWrite(), flushing: isFlushing, writing: delta) else {
            return false
        }
        table.apply(delta)
        coverage.handle(.recordWritten)
        return true
    }

    /// The keys that the journal's present records write.
    private func keysOfRecords() throws(FileStoreError) -> some Sequence<String> {
        try readAllRecords().lazy.filter { $0.replaced == nil }.flatMap { $0.writes.lazy.map(\.key) }
    }

    /// Appends records.
    ///
    /// - Parameter delta: The changes, if they may be rejected because of their size.
    /// - Returns: Whether there was room for them in the journal.
    @discardableResult
    private mutating func append(
        _ records: [JournalRecord],
        at position: JournalPosition,
        flushing isFlushing: Bool = true,
        writing delta: TableDelta? = nil
    ) throws(FileStoreError) -> Bool {
        if isFlushing { try flushNameOfJournal() }
        // A journal that this process has not flushed before is flushed once, so that damage in it can be distinguished from
        // the remains of the last records after a power failure.
        if journalFlushes.size(before: position) == nil || journalFlushes.hasFailed { try flushJournal() }
        let flushed = journalFlushes.size(before: position) ?? 0
        var (bytes, end, ends): ([UInt8], JournalPosition, [JournalPosition]) = ([], position, [])
        for var record in records {
            record.unflushed = end.offset - flushed
            let room = delta == nil ? Int.max : options.limits.journalRoom - end.offset
            guard let frame = record.encoded(at: end, upTo: room) else { return false }
            bytes += frame.bytes
            end = frame.end
            ends.append(end)
        }
        if let delta {
            guard end.offset <= options.limits.journalRoom else { return false }
            try checkSize(with: delta, recordEndingAt: end)
        }
        knownEnd.noteWrite(to: KnownEnd.Tail(start: ends.dropLast().last?.offset ?? position.offset, end: end))
        try writeJournal(bytes, at: position.offset, flushing: isFlushing)
        extent.advance(to: ends)
        if isFlushing { journalFlushes.reach(end) }
        return true
    }

    /// Where the next record goes; a journal without a header gets one.
    private mutating func positionToWrite() throws(FileStoreError) -> JournalPosition {
        if let end = extent.end { return end }
        // A process that emptied the journal may have died before its flush: after a power failure the old records would
        // follow the remains of this header.
        if let journal { try step(.writeJournal, journal.flush) }
        let header = JournalHeader(epoch: .random(in: 1 ... .max), checkpoint: nil)
        try writeJournal(header.bytes, at: 0)
        // If the first record cannot be written, the next one must name the version.
        coverage.handle(.continuationLost)
        journalFlushes.reach(header.start)
        extent.begin(with: header)
        return header.start
    }

    private mutating func writeJournal(
        _ bytes: [UInt8],
        at offset: Int,
        flushing isFlushing: Bool = true
    ) throws(FileStoreError) {
        guard let journal else { return }
        if extent.hasDamagedRest { try keepDamagedJournal() }
        let mode = JournalFile.WriteMode(
            size: extent.size,
            isClean: extent.isClean,
            reserve: reserve(forRecordsUpTo: offset + bytes.count),
            isFlushing: isFlushing,
            followsFlushed: extent.end.flatMap(journalFlushes.size) == offset && !journalFlushes.hasFailed
        )
        // Bytes that cannot be cut off after a failure are cut off by the next write.
        (extent.size, extent.isClean, sizeAtLock) = (max(extent.size, offset + bytes.count), false, nil)
        do throws(FileStoreError) {
            extent.size = try step(.writeJournal) { () throws(SystemCallError) in
                try journal.write(bytes, at: offset, mode)
            }
        } catch {
            // The flush that failed may have included others' bytes.
            handleFailedFlush()
            throw error
        }
        extent.isClean = true
        writtenBytes += bytes.count
    }

    /// The size that a journal gets when records up to an offset do not fit in it: twice as many bytes as these, and at most
    /// 64 KiB more.
    ///
    /// - Returns: `nil` for a header, or if no space may be reserved.
    private func reserve(forRecordsUpTo end: Int) -> Int? {
        guard options.keepsJournal, extent.end != nil, extent.header?.allowsReserve == true else { return nil }
        let unit = 4096
        let size = end <= unit ? unit : (end + min(end, 16 * unit) + unit - 1) / unit * unit
        return size <= options.limits.journalRoom ? size : nil
    }

    /// Writes a new version of the file with the whole table.
    ///
    /// - Parameter isCheckpoint: Whether the file and the journal already hold the table, so that processes that have read
    ///   both need not read the new version.
    mutating func replaceFile(isCheckpoint: Bool) throws(FileStoreError) {
        unflushedReplacement = nil
        moveToPresentText()
        let encoded = try encoded(table)
        let bytes = encoded.bytes
        removeAbandonedFiles()
        let version = FileVersion(bytes)
        let end = extent.end
        // Also without a journal of this store's own: stores that keep one need the history.
        let history = end != nil ? history(replacing: known) : []
        if let end {
            // If the process dies before the journal is emptied, this record shows that its contents are in the file.
            try append([JournalRecord(continuing: version, writes: [])], at: end)
        }
        if options.keepsGoodCopy { try keepGoodCopy(bytes) }
        let signature = try AtomicFileReplacement(fileSystem: fileSystem, path: path)
            .replaceContents(with: bytes, instead: place, mayCreateFolder: state.isNew) { replacement in
                unflushedReplacement = replacement
            }
        unflushedReplacement = nil
        writtenBytes += bytes.count
        reading = FileReading(table: encoded.table, written: table)
        table = encoded.table
        versionOfText = version
        state = .present(FileContents(table: table, version: version, signature: signature, flush: .done(by: nil)))
        coverage.handle(.fileReplaced)
        if journal != nil { journalFlushes.isNamed = true }
        guard end != nil || extent.hasDamagedRest else { return }
        do throws(FileStoreError) {
            try emptyJournal(after: isCheckpoint ? end : nil, version, signature)
        } catch {
            // The write has not failed, because its values are in the file and on the disk. The journal names that version
            // and has no record that continues it; the next checkpoint empties it.
            if !isCheckpoint { return }
            throw error
        }
        guard let start = extent.end, !history.isEmpty else { return }
        // Only programs that edit an older version need the history, so the store works without it.
        _ = try? append(history, at: start)
    }

    /// Puts the known version back if a new one has got its name and did not become durable, because the flush of the folder
    /// failed.
    ///
    /// If the disk fails again, the new version stays, and is read like that of another program.
    mutating func restoreKnownVersion() {
        guard let replacement = unflushedReplacement else { return }
        unflushedReplacement = nil
        do throws(FileStoreError) {
            place = try step(.locate) { () throws(SystemCallError) in try fileSystem.resolve(path) }
            // Another program may have replaced the version by now.
            guard place.status?.signature.isRenamed(from: replacement) == true else { return }
            guard case .present(var contents) = state else {
                return try step(.replace) { () throws(SystemCallError) in
                    try fileSystem.removeFile(place.path.text)
                }
            }
            let bytes = try encoded(contents.table).bytes
            if options.keepsGoodCopy { try keepGoodCopy(bytes) }
            contents.signature = try AtomicFileReplacement(fileSystem: fileSystem, path: path)
                .replaceContents(with: bytes, instead: place, mayCreateFolder: false)
            (contents.version, contents.flush) = (FileVersion(bytes), .unknown)
            state = .present(contents)
            if extent.end != nil { coverage.handle(.continuationLost) }
        } catch {
            // The caller throws the error of the first failure.
        }
    }

    /// Puts the table over the text that is on the disk, if another process has written it, so that its order stays.
    private mutating func moveToPresentText() {
        guard case .present(var contents) = state, contents.version != versionOfText, table.document != nil,
            // The values are in the table, so the text of this process does as well.
            let (bytes, _) = try? readBytes(of: path), FileVersion(bytes) == contents.version,
            let present = try? codec.decode(bytes)
        else { return }
        table = table.moved(to: present, from: nil)
        versionOfText = contents.version
        contents.table = present
        state = .present(contents)
    }

    private func encoded(_ table: PropertyListTable) throws(FileStoreError) -> EncodedFile {
        let encoded: EncodedFile?
        do {
            encoded = try codec.encode(table, upTo: options.limits.fileSize)
        } catch {
            // Stores that share the file with another format wrote values to the journal that only their format holds.
            throw .unwritable(path: path.text, error)
        }
        guard let encoded else { throw .tooLarge(.write, path: path.text, limit: options.limits.fileSize) }
        return encoded
    }

    /// The records that identify a version made from one before a checkpoint: those of the last checkpoints, and a new one.
    private func history(replacing known: FileContents?) -> [JournalRecord] {
        let now = fileSystem.time
        var history = ((try? readAllRecords()) ?? []).filter { $0.replaced?.isRecent(at: now) == true }
        if let known {
            let delta = announced(TableDelta(from: known.table, to: table))
            history.append(
                JournalRecord(
                    replacing: ReplacedVersion(known.version, at: now),
                    writes: journalWrites(delta, over: known.table)
                )
            )
        }
        // Large changes are left out, so that the journal stays short.
        var size = 0
        let kept = history.reversed().prefix { record in
            size += record.writes.reduce(0) { $0 + $1.key.utf8.count + ($1.value?.contentSize ?? 0) }
            return size <= Self.historyLimit
        }
        return kept.reversed()
    }

    /// The changes without those of nested entries that a visitor has reached: their dictionary may be a value to other processes.
    private func announced(_ delta: TableDelta) -> TableDelta {
        let form = codec.form.current
        if form.announcesKeys { return delta }
        var announced = delta
        for key in delta.writes.keys where form.groups.keys.contains(key) && form.groups.nests(key) {
            announced.forget(key)
        }
        return announced
    }

    /// How many bytes of keys and values the history holds, all of which are in the file.
    private static let historyLimit = 64 << 10

    private func journalWrites(_ delta: TableDelta, over file: PropertyListTable) -> [JournalRecord.Write] {
        let groups = codec.form.current.groups
        return delta.writes.map { key, value in
            JournalRecord.Write(
                key: key,
                value: value,
                replaced: file[key].map(ValueFingerprint.init),
                isInGroup: groups.nests(key)
            )
        }
    }

    /// Removes the temporary files of processes that were killed while they saved.
    private mutating func removeAbandonedFiles() {
        // Without a lock, a temporary file may belong to a process that is saving.
        guard mayHaveAbandonedFiles, !lockWaits.isUnsupported else { return }
        mayHaveAbandonedFiles = false
        let path = place.path
        let originals = [path, GoodCopy.path(beside: path), JournalFile.path(beside: path)].map(\.name)
        // Failures are ignored: the files do no harm, and some may belong to another user.
        for name in (try? fileSystem.names(inFolder: path.folder)) ?? []
        where originals.contains(where: { TemporaryFile.isName(name, for: $0) }) {
            try? fileSystem.removeFile(path.sibling(name).text)
        }
    }

    /// Empties the journal and begins a new one that names the version of the file.
    private mutating func emptyJournal(
        after end: JournalPosition?,
        _ version: FileVersion,
        _ signature: FileSignature?
    ) throws(FileStoreError) {
        guard let journal else { return }
        if extent.hasDamagedRest { try keepDamagedJournal() }
        do throws(FileStoreError) {
            try step(.writeJournal) { () throws(SystemCallError) in try journal.empty() }
        } catch {
            coverage.handle(.emptyingFailed)
            throw error
        }
        extent = JournalExtent()
        sizeAtLock = nil
        var checkpoint: JournalHeader.Checkpoint?
        if let end, let signature { checkpoint = .init(end: end, file: signature) }
        let header = JournalHeader(epoch: .random(in: 1 ... .max), checkpoint: checkpoint)
        let (record, position) = JournalRecord(continuing: version, writes: []).encoded(at: header.start)
        try writeJournal(header.bytes + record, at: 0)
        extent.begin(with: header)
        extent.advance(to: [position])
        journalFlushes.reach(position)
    }
}

// MARK: - The size of the file

extension SharedFile {
    /// Throws for changes with which the file would be too large, together with other processes' journal records.
    ///
    /// Measuring can take as long as writing the file. So records count as if the file grew by all of them, and the file is
    /// measured only when that sum exceeds the limit. Changes that only remove keys make room and are always accepted.
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
        let growth = (end.offset - start).multipliedReportingOverflow(by: codec.growthOfRecords)
        guard growth.overflow || growth.partialValue > options.limits.fileSize - estimate else { return }
        var changed = table
        changed.apply(delta)
        // The checkpoint reports values that this format cannot hold.
        guard let measured = try? codec.size(of: changed, upTo: .max) else { return }
        if measured > options.limits.fileSize, measured > (try? codec.size(of: table, upTo: .max)) ?? 0 {
            throw .tooLarge(.writeJournal, path: path.text, size: measured, limit: options.limits.fileSize)
        }
        measuredSize = MeasuredSize(size: measured, version: known?.version, position: end)
    }
}

/// The size of the file if the journal's records up to a position were in it.
struct MeasuredSize: Sendable {
    let size: Int
    let version: FileVersion?
    let position: JournalPosition
}
