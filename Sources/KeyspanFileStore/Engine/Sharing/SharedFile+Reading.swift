package import KeyspanCore

extension SharedFile {
    /// Reads what others wrote since the last call; called under the lock.
    ///
    /// - Parameter isTolerant: Whether to ignore a file that cannot be parsed, because the caller writes only to the journal.
    ///   The file's previous values then stay in effect. A file that cannot be read is never ignored: it may be a newer
    ///   version, whose reader would not apply a record that continues the older one.
    /// - Returns: The entries of ``table`` that may have changed; `nil` if any may have, because the whole file was read.
    /// - Throws: ``FileStoreError``; nothing has changed then.
    package mutating func catchUp(tolerantly isTolerant: Bool) throws(FileStoreError) -> Set<UTF8Text>? {
        try readUnread(tolerantly: isTolerant)
    }

    /// Nests further names where the file does not have them.
    ///
    /// - Throws: ``FileStoreError`` if the file has one of them twice, and the options refuse that; nothing has changed then.
    mutating func learn(_ names: some Sequence<String>) throws(FileStoreError) {
        let present = naming
        naming = naming?.with(names)
        if naming === present { return }
        guard var known = state.contents?.table else { return table.naming = naming }
        known.naming = naming
        if options.nesting.refusesDuplicates, let twice = known.namesHeldTwice.first {
            naming = present
            throw .unparsable(path: path.text, .heldTwice(twice))
        }
        state.replaceTable(by: known)
        table.naming = naming
    }

    /// Reads what others wrote, as ``catchUp(tolerantly:)`` does.
    ///
    /// - Returns: The entries of ``table`` that may have changed; `nil` if any may have, because the whole file was read.
    mutating func readUnread(tolerantly isTolerant: Bool) throws(FileStoreError) -> Set<UTF8Text>? {
        let unread = try readUnreadRecords()
        let found = place.status?.signature
        let knownVersion = known?.version
        if found == nil { noteRemoval() }
        if let known, found == known.signature || found == nil, !unread.isRestart {
            return accept(unread)
        }
        if known != nil, unread.extent.end == nil, found == known?.signature {
            return acceptRemovalOfJournal(unread)
        }
        if let checkpoint = unread.checkpoint, let version = unread.records.first?.version, coverage.continuesFile,
            includes(checkpoint), checkpoint.file == found, !table.hasOutgrownDocument
        {
            // The journal is begun when the name of the new version is on the disk.
            state = .present(FileContents(table: table, version: version, signature: found, flush: .done(by: nil)))
            coverage.handle(.fileReplaced)
            return accept(unread)
        }
        do throws(FileStoreError) {
            if let contents = try readFile() {
                try update(to: contents, unread)
            } else if known == nil || isFirstJournal(unread) {
                try update(to: .missing, unread)
            } else {
                coverage.handle(.valuesLost)
                // A checkpoint that this process has not seen went into the file that is gone. Those before are in the table,
                // possibly with later values.
                let checkpoints = unread.isRestart ? unread.records.filter { $0.replaced != nil } : []
                if let first = checkpoints.lastIndex(where: { $0.replaced?.version == knownVersion }) {
                    apply(checkpoints[first...].map { JournalRecord(writes: $0.writes) }[...])
                }
                accept(unread)
            }
        } catch  where isTolerant && error.step == .parse && known != nil && !unread.isRestart {
            return accept(unread)
        }
        return nil
    }

    /// Applies the records that continue the known version of the file.
    @discardableResult
    private mutating func accept(_ unread: UnreadRecords) -> Set<UTF8Text> {
        extent.advance(with: unread)
        // A record with a version and no writes announces a checkpoint; its writer died before finishing it.
        if !unread.isRestart, unread.records.contains(where: { $0.version != nil && $0.writes.isEmpty }) {
            mayHaveAbandonedFiles = true
        }
        let changed = apply(unread.records[...])
        if lacksFile, !coverage.continuesFile, hasWholeTable(in: unread.records) {
            coverage.handle(.continuationRestored)
        }
        return changed
    }

    /// Whether the journal is the first one of a file that has not been written yet, so that nothing can have been lost.
    ///
    /// A format that is not exact may have other values in its table than the journal has, and writes these.
    private func isFirstJournal(_ unread: UnreadRecords) -> Bool {
        codec.isExact && state.isNew && extent.end == nil && table.isEmpty && unread.checkpoint == nil
            && unread.records.contains { $0.version == .missing } && !unread.records.contains { $0.replaced != nil }
    }

    /// Whether records that continue no file have everything that is in the table, because another process wrote them.
    private func hasWholeTable(in records: [JournalRecord]) -> Bool {
        guard let index = records.lastIndex(where: { $0.version == .missing }) else { return false }
        var written = PropertyListTable()
        written.naming = naming
        for record in records[index...] where record.replaced == nil {
            for write in record.writes { written.apply(write, value: readable(write)) }
        }
        return written == table
    }

    /// Notes that the file was removed.
    ///
    /// Its values stay in effect until there is a file again, and go into the next record or version: no record continues
    /// the present state of the disk. They are kept, so that the changes in a later file can be found.
    private mutating func noteRemoval() {
        guard case .present(let contents) = state else { return }
        state = .removed(contents.table)
        coverage.handle(.continuationLost)
    }

    /// Notes that the journal was removed; its values are in the table, and go into the next journal.
    private mutating func acceptRemovalOfJournal(_ unread: UnreadRecords) -> Set<UTF8Text> {
        coverage.handle(.continuationLost)
        return accept(unread)
    }

    /// Applies records whose writes the file lacks.
    ///
    /// Records of a replaced version are skipped: the file has their writes. One that names the known version has all that the file
    /// lacks, so its writes are applied to the file, as by a process that reads both for the first time.
    ///
    /// - Returns: The entries that may have changed.
    @discardableResult
    mutating func apply(_ records: ArraySlice<JournalRecord>) -> Set<UTF8Text> {
        var changed: Set<UTF8Text> = []
        for record in records where record.replaced == nil {
            if !record.writes.isEmpty, let read = tableThatBegins(with: record) {
                changed.formUnion(table.keysOfDifference(to: read))
                table = read.moved(to: table, from: nil)
                continue
            }
            for write in record.writes {
                table.apply(write, value: readable(write))
                changed.formUnion(write.key.entries(changedByWriting: write.value))
            }
        }
        if !changed.isEmpty { coverage.handle(.tableExtended) }
        return changed
    }

    /// The table that a record makes of the known version; `nil` if it names no version or another one, or if it lacks values of a
    /// removed file, because its writer has not known that.
    private func tableThatBegins(with record: JournalRecord) -> PropertyListTable? {
        var read: PropertyListTable
        let isRemoved: Bool
        switch state {
        case .present(let contents) where contents.version == record.version:
            (read, isRemoved) = (contents.table, false)
        case .removed where record.version == .missing: (read, isRemoved) = (PropertyListTable(), true)
        case .unread, .recovering, .neverExisted, .present, .removed: return nil
        }
        read.naming = naming
        for write in record.writes { read.apply(write, value: readable(write)) }
        guard isRemoved else { return read }
        let written = Set(record.writes.lazy.map { UTF8Text($0.key) })
        let names = names(ofChangeFrom: PropertyListTable(), to: table)
        return names.allSatisfy { written.contains($0) || read[$0.wrappedValue] != nil } ? read : nil
    }

    /// The value of a record as it will be read from the file after a checkpoint.
    ///
    /// A process that has the file open with another format may have written values that this format cannot hold exactly.
    private func readable(_ write: JournalRecord.Write) -> PropertyListValue? {
        guard !codec.isExact, let value = write.value else { return write.value }
        // For a value that the format cannot hold at all, the checkpoint fails and reports it.
        return (try? codec.written(value, forKey: write.key)) ?? value
    }

    /// Makes the table from a new version of the file, and from the journal.
    private mutating func update(to contents: FileContents, _ unread: UnreadRecords) throws(FileStoreError) {
        var contents = contents
        contents.table.naming = naming
        if let signature = contents.signature, signature == unread.checkpoint?.file { contents.flush = .done(by: nil) }
        if case .present(var known) = state, known.version == contents.version,
            !unread.isRestart || unread.extent.end == nil
        {
            known.update(from: contents, foundAs: place.status?.signature)
            state = .present(known)
            _ = unread.isRestart ? acceptRemovalOfJournal(unread) : accept(unread)
            return
        }
        let records = unread.isRestart || unread.extent.end == nil ? unread.records : try readAllRecords()
        table = contents.table
        versionOfText = contents.version
        // Records that name another version than this one are not of it.
        state = state.afterReading(contents)
        let journalContinues: Bool
        if let index = records.lastIndex(where: { $0.version == contents.version }) {
            // The writer of that record has taken this version into account.
            accept(unread, applying: records[index...])
            journalContinues = true
        } else {
            accept(unread, applying: [])
            for write in JournalReplay(of: records, on: contents, at: fileSystem.time).writes {
                table.apply(write, value: write.value)
            }
            journalContinues = records.isEmpty
        }
        coverage = DiskCoverage(fileHasAll: table == contents.table, journalContinues: journalContinues)
    }

    private mutating func accept(_ unread: UnreadRecords, applying records: ArraySlice<JournalRecord>) {
        var unread = unread
        unread.records = Array(records)
        accept(unread)
    }

    /// Whether everything that a checkpoint brought into the file is in the table.
    private func includes(_ checkpoint: JournalHeader.Checkpoint) -> Bool {
        extent.includes(checkpoint.end)
    }
}

// MARK: - The file

extension SharedFile {
    /// Reads the file; does not wait for another process, not even if the path is that of a pipe.
    ///
    /// - Returns: `nil` if the file does not exist.
    /// - Throws: ``FileStoreError`` if the file cannot be read or parsed. It is left as it is.
    private mutating func readFile() throws(FileStoreError) -> FileContents? {
        guard let (bytes, signature) = try readBytes(of: path) else { return nil }
        let version = FileVersion(bytes)
        // The same bytes under another signature, such as those of a file that was copied.
        if case .present(let known) = state, known.version == version {
            return FileContents(table: known.table, version: version, signature: signature)
        }
        do throws(FileFormatError) {
            naming = naming?.renewed
            var table = try codec.decode(bytes)
            table.naming = naming
            let twice = codec.namesHeldTwice(in: table, of: bytes)
            reportedKeys.formIntersection(twice.map { UTF8Text($0.key) })
            for name in twice {
                if options.nesting.refusesDuplicates { throw FileFormatError.heldTwice(name.key) }
                if reportedKeys.insert(name.key) { notices.append(.keyHeldTwice(name, path: path.text)) }
            }
            return FileContents(table: table, version: version, signature: signature)
        } catch {
            throw .unparsable(path: path.text, error)
        }
    }

    /// Reads all bytes of a file.
    ///
    /// - Parameters:
    ///   - path: The file, or a link that leads to it.
    ///   - limit: The size of the largest file that is read; that of the options unless given.
    ///   - isWanted: Decides by the status of the open file.
    /// - Returns: The bytes, and the file's signature if it did not change in the meantime; `nil` if the file does not
    ///   exist or is not wanted.
    func readBytes(
        of path: AbsolutePath,
        atMost limit: Int? = nil,
        if isWanted: (FileStatus) -> Bool = { _ in true }
    ) throws(FileStoreError) -> (bytes: [UInt8], signature: FileSignature?)? {
        let file = try fileSystem.readFile(path, atMost: limit ?? options.limits.fileSize, if: isWanted)
        guard let file else { return nil }
        let signature = file.status.signature
        return (file.bytes, file.isUnchanged && fileSystem.isSettled(signature) ? signature : nil)
    }
}

/// The effect of a journal's records on a version of the file that none of them continues.
///
/// A program that does not know the journal has replaced the file, and its changes are later than all records. A
/// record's write counts if the file still has the value that the write replaced, by itself or with the writes before that count; then
/// the later writes to the key count as well.
///
/// If the file has values from before a checkpoint, there are two possibilities. If it is the whole version, a person has
/// restored it. If it is not, and the checkpoint was a moment ago, a program has changed a version that it read before it.
private struct JournalReplay {
    /// The writes that count, in their order.
    let writes: [JournalRecord.Write]

    /// Replays records.
    ///
    /// - Parameters:
    ///   - records: All records of the journal.
    ///   - contents: The file.
    ///   - time: The time now, in milliseconds since 1970.
    init(of records: [JournalRecord], on contents: FileContents, at time: Int64) {
        let isRestored = records.contains { $0.replaced?.version == contents.version }
        var (writes, keys): ([JournalRecord.Write], Set<UTF8Text>) = ([], [])
        var table = contents.table
        for record in records {
            if let replaced = record.replaced, isRestored || !replaced.isRecent(at: time) { continue }
            var refused: Set<EntryPlace> = []
            for write in record.writes {
                let isPresent = [contents.table, table].contains {
                    $0[write.key].map(ValueFingerprint.init) == write.replaced
                }
                let place = contents.table.find(write.key)?.place
                // A removal from a value that the same record replaces counts only with that.
                let isPart = write.value == nil && place?.isInside(refused) == true
                guard !isPart, isPresent || keys.contains(write.key) else {
                    if let place { refused.insert(place) }
                    continue
                }
                keys.insert(write.key)
                writes.append(write)
                table.apply(write, value: write.value)
            }
        }
        self.writes = writes
    }
}
