package import KeyspanCore

extension SharedFile {
    /// Writes changes: as a record of the journal, or else in a new version of the file.
    ///
    /// Called under the exclusive lock, after ``catchUp(tolerantly:)``. Other processes see the changes at once. Without
    /// changes this writes only the values of ``table`` that the disk lacks, and flushes what others wrote.
    ///
    /// - Parameters:
    ///   - writes: The changes, which are placed where their names lead in ``table``; it has them on return.
    ///   - batches: Further changes after these, in their order.
    ///   - isFlushing: Whether the changes, and everything before them, are on the disk on return. If not, ``flush()``
    ///     follows, or a later write. A new version of the file is always flushed.
    /// - Returns: The entries of the table that have changed besides, because a record that begins anew has one place for a name.
    /// - Throws: ``FileStoreError``; nothing has changed then, neither on the disk nor in ``table``, unless the step is
    ///   ``FileStoreError/Step/flushFolder``.
    @discardableResult
    package mutating func write(
        _ writes: PendingWrites,
        _ batches: [PropertyListBatch] = [],
        flushing isFlushing: Bool = true
    ) throws(FileStoreError) -> Set<UTF8Text> {
        let (before, text) = (table, versionOfText)
        var after = table
        after.apply(writes)
        var names = Set(writes.keys.lazy.map { UTF8Text($0) })
        for batch in batches { names.formUnion(after.applyWrites(of: batch)) }
        if writes.removesAll || batches.contains(where: \.writes.removesAll) {
            names.formUnion(self.names(ofChangeFrom: before, to: after))
        }
        // A value that the table has already is on the disk, unless any of it may be missing there.
        if !mustBeRecorded {
            names = names.filter { name in
                let (name, value) = (name.wrappedValue, after[name.wrappedValue])
                if before[name] != value { return true }
                // A dictionary takes the place of other values of the names in it.
                return value?.dictionaryValue != nil
                    && !before.changes(of: name.entries(changedByWriting: value), to: after).isEmpty
            }
        }
        if names.isEmpty, !isUnwritten {
            if isFlushing { try flush() }
            return []
        }
        table = after
        do throws(FileStoreError) {
            let version = extent.end == nil || !coverage.continuesFile ? known?.version ?? .missing : nil
            let canAppend = options.keepsJournal && !mustBeReplaced
            if canAppend, let moved = try append(names, from: before, continuing: version, flushing: isFlushing) {
                return moved
            }
            if !names.isEmpty { coverage.handle(.tableExtended) }
            try replaceFile(isCheckpoint: false)
            return []
        } catch {
            (table, versionOfText) = (before, text)
            throw error
        }
    }

    /// Replaces the text of the file by one that a person has edited.
    ///
    /// Called under the exclusive lock, after ``catchUp(tolerantly:)``.
    ///
    /// - Parameter edited: The table of the new text, with whatever was written to it since.
    /// - Throws: ``FileStoreError`` as ``write(_:flushing:)`` does.
    mutating func replaceText(by edited: PropertyListTable) throws(FileStoreError) {
        let (before, text) = (table, versionOfText)
        // Otherwise the table would be moved to a text that another process has written.
        (table, versionOfText) = (edited, known?.version)
        table.naming = naming
        coverage.handle(.tableExtended)
        do throws(FileStoreError) {
            try replaceFile(isCheckpoint: false)
        } catch {
            (table, versionOfText) = (before, text)
            throw error
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

    /// The names of the values that differ in two tables: of those in groups one by one, so that they merge.
    func names(ofChangeFrom before: PropertyListTable, to after: PropertyListTable) -> Set<UTF8Text> {
        naming?.listing?.names(ofChangeFrom: before, to: after) ?? before.keysOfDifference(to: after)
    }

    /// Appends a record with changes, and with what the disk lacks if the record names a version.
    ///
    /// - Parameters:
    ///   - names: The names of the values that were written.
    ///   - before: The table without the changes.
    /// - Returns: The entries of the table that have changed besides; `nil` if there was no room for the record in the journal, and
    ///   nothing was done.
    private mutating func append(
        _ names: Set<UTF8Text>,
        from before: PropertyListTable,
        continuing version: FileVersion?,
        flushing isFlushing: Bool
    ) throws(FileStoreError) -> Set<UTF8Text>? {
        var names = names
        // The records count again if a program replaces the file, where a removal must not be missing.
        if version != nil, extent.end != nil {
            names.formUnion(try keysOfRecords().filter { table[$0.wrappedValue] == nil })
        }
        let file = known?.table ?? PropertyListTable()
        // The values of a removed file are in no version, so the record repeats them.
        let base = known?.version == .missing ? PropertyListTable() : file
        let writes =
            version == nil
            ? recordedWrites(of: names, in: table, over: file)
            : writes(making: table, of: base, beyond: names, over: file)
        let record = JournalRecord(continuing: version, writes: writes)
        if isFlushing { try flushFile() }
        guard try append([record], at: try positionToWrite(), flushing: isFlushing, before: before) else { return nil }
        // The same as readers of the record have.
        if version == nil { table = before }
        let changed = apply([record])
        coverage.handle(.recordWritten)
        return version == nil ? [] : changed
    }

    /// The writes that make a table of a version: of names that were written, and of all others in which the two differ then.
    ///
    /// Those in groups are written one by one, so that they merge, unless that makes another table: values of other stores may be of
    /// any form.
    private func writes(
        making table: PropertyListTable,
        of base: PropertyListTable,
        beyond names: Set<UTF8Text>,
        over file: PropertyListTable
    ) -> [JournalRecord.Write] {
        func make(with further: Set<UTF8Text>) -> (writes: [JournalRecord.Write], read: PropertyListTable) {
            let writes = recordedWrites(of: names.union(further), in: table, over: file)
            var read = base
            read.naming = naming
            for write in writes { read.apply(write, value: write.value) }
            return (writes, read)
        }
        let (writes, read) = make(with: [])
        if read == table { return writes }
        let merging = make(with: self.names(ofChangeFrom: read, to: table))
        if merging.read == table { return merging.writes }
        let names = read.namesOfDifference(to: table)
        let divided = make(with: names)
        if divided.read == table { return divided.writes }
        // No names make the very table, but each has its value.
        return make(with: names.union(divided.read.keysOfDifference(to: table))).writes
    }

    /// The keys that the journal's present records write.
    private func keysOfRecords() throws(FileStoreError) -> [UTF8Text] {
        try readAllRecords().filter { $0.replaced == nil }.flatMap { $0.writes.map { UTF8Text($0.key) } }
    }

    /// The writes that make the values of names in a table, whatever a reader of the file and the records before has for them.
    ///
    /// A reader applies them in the order of the names, so each has the value that results from all: a value in another one that is
    /// written is not written once more.
    private func recordedWrites(
        of names: Set<UTF8Text>,
        in table: PropertyListTable,
        over file: PropertyListTable
    ) -> [JournalRecord.Write] {
        var writes: [JournalRecord.Write] = []
        var places: Set<EntryPlace> = []
        for name in names.sorted(by: { $0.wrappedValue.utf8Precedes($1.wrappedValue) }) {
            let key = name.wrappedValue
            let found = table.find(key)
            let value = found?.value
            if let place = found?.place {
                if place.isInside(places) { continue }
                if case .dictionary? = value { places.insert(place) }
            }
            writes.append(
                JournalRecord.Write(
                    key: key,
                    value: value,
                    replaced: file[key].map(ValueFingerprint.init),
                    isInGroup: found?.place.path.isEmpty == false
                )
            )
        }
        return writes
    }

    /// Appends records.
    ///
    /// - Parameter before: The table without the changes of the records, if they may be rejected because of their size.
    /// - Returns: Whether there was room for them in the journal.
    @discardableResult
    private mutating func append(
        _ records: [JournalRecord],
        at position: JournalPosition,
        flushing isFlushing: Bool = true,
        before: PropertyListTable? = nil
    ) throws(FileStoreError) -> Bool {
        if isFlushing { try flushNameOfJournal() }
        // A journal that this process has not flushed before is flushed once, so that damage in it can be distinguished from
        // the remains of the last records after a power failure.
        if journalFlushes.size(before: position) == nil || journalFlushes.hasFailed { try flushJournal() }
        let flushed = journalFlushes.size(before: position) ?? 0
        var (bytes, end, ends): ([UInt8], JournalPosition, [JournalPosition]) = ([], position, [])
        for var record in records {
            record.unflushed = end.offset - flushed
            let room = before == nil ? Int.max : options.limits.journalRoom - end.offset
            guard let frame = record.encoded(at: end, upTo: room) else { return false }
            bytes += frame.bytes
            end = frame.end
            ends.append(end)
        }
        if let before {
            guard end.offset <= options.limits.journalRoom else { return false }
            if records.contains(where: \.storesValues) { try checkSize(comparedWith: before, recordEndingAt: end) }
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
        let signature = try AtomicFileReplacement(fileSystem: fileSystem, path: path, newFiles: options.newFiles)
            .replaceContents(with: bytes, instead: place, mayCreateFolder: state.isNew) { replacement in
                unflushedReplacement = replacement
            }
        unflushedReplacement = nil
        writtenBytes += bytes.count
        table = encoded.table
        table.naming = naming
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
            contents.signature = try AtomicFileReplacement(
                fileSystem: fileSystem,
                path: path,
                newFiles: options.newFiles
            )
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
            var present = try? codec.decode(bytes)
        else { return }
        present.naming = naming
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
            history.append(
                JournalRecord(
                    replacing: ReplacedVersion(known.version, at: now),
                    writes: writes(making: table, of: known.table, beyond: [], over: known.table)
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

    /// How many bytes of keys and values the history holds, all of which are in the file.
    private static let historyLimit = 64 << 10

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
    ///   - before: The table without the changes.
    ///   - end: The position behind the record of the changes, which is not written yet.
    mutating func checkSize(
        comparedWith before: PropertyListTable,
        recordEndingAt end: JournalPosition
    ) throws(FileStoreError) {
        var estimate = known?.version.size ?? 0
        var start = JournalHeader.length
        if let measuredSize, measuredSize.version == known?.version, measuredSize.position.epoch == end.epoch,
            measuredSize.position.offset <= end.offset
        {
            (estimate, start) = (measuredSize.size, measuredSize.position.offset)
        }
        let growth = (end.offset - start).multipliedReportingOverflow(
            by: codec.growthOfRecords
        )
        guard growth.overflow || growth.partialValue > options.limits.fileSize - estimate else { return }
        // The checkpoint reports values that this format cannot hold.
        guard let measured = try? codec.size(of: table, upTo: .max) else { return }
        if measured > options.limits.fileSize, measured > (try? codec.size(of: before, upTo: .max)) ?? 0 {
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
