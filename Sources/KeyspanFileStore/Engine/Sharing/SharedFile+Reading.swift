package import KeyspanCore

extension SharedFile {
    /// Reads what others wrote since the last call; called under the lock.
    ///
    /// - Parameter isTolerant: Whether to ignore a file that cannot be parsed, because the caller writes only to the journal.
    ///   The file's previous values then stay in effect. A file that cannot be read is never ignored: it may be a newer
    ///   version, whose reader would not apply a record that continues the older one.
    /// - Returns: The changes of ``table``.
    /// - Throws: ``FileStoreError``; nothing has changed then.
    package mutating func catchUp(tolerantly isTolerant: Bool) throws(FileStoreError) -> TableDelta {
        let before = table
        let delta = try readUnread(tolerantly: isTolerant)
        guard let delta, !hasNewGroups else {
            // Not the separation itself, which memory makes as well.
            let separated = hasNewGroups ? try? codec.separated(before, as: codec.form.current) : before
            return TableDelta(from: separated ?? before, to: table)
        }
        return delta
    }

    /// Whether other members of the file are groups since the last call, which memory must separate, too.
    mutating func takeNewGroups() -> Bool {
        defer { hasNewGroups = false }
        return hasNewGroups
    }

    /// Takes keys into account that another store of the file has.
    ///
    /// - Throws: ``FileStoreError`` if the file has one of them twice, and the options refuse that; nothing has changed then.
    mutating func learn(_ keys: some Sequence<String>) throws(FileStoreError) {
        do {
            try separate(keys, areOwn: true)
        } catch {
            throw .unparsable(path: path.text, error)
        }
    }

    /// Reads members that are groups of keys from the text.
    ///
    /// - Returns: Whether there are any.
    @discardableResult
    private mutating func separate(_ keys: some Sequence<String>, areOwn: Bool) throws(FileFormatError) -> Bool {
        guard let form = codec.form.form(with: keys, areOwn: areOwn) else { return false }
        let separated = try codec.separated(table, as: form)
        let known = try state.contents.map { (contents) throws(FileFormatError) in
            try codec.separated(contents.table, as: form)
        }
        codec.form.change(to: form)
        table = separated
        if let known { state.replaceTable(by: known) }
        reading = FileReading(table: known ?? separated, written: nil)
        hasNewGroups = true
        return true
    }

    /// Learns the keys of records that their writers nest in groups, which this process may not know.
    ///
    /// - Parameter withHistory: Whether records of replaced versions count, too.
    /// - Returns: Whether other members are groups now.
    @discardableResult
    private mutating func learnKeys(of records: some Sequence<JournalRecord>, withHistory: Bool = false) -> Bool {
        let records = records.lazy.filter { withHistory || $0.replaced == nil }
        // A key that the file has twice stays where it is if the options refuse such files.
        return (try? separate(records.flatMap { $0.writes.lazy.filter(\.isInGroup).map(\.key) }, areOwn: false))
            ?? false
    }

    /// Reads what others wrote, as ``catchUp(tolerantly:)`` does.
    ///
    /// - Returns: The changes of ``table``; `nil` if any value may have changed, because the whole file was read.
    mutating func readUnread(tolerantly isTolerant: Bool) throws(FileStoreError) -> TableDelta? {
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
    private mutating func accept(_ unread: UnreadRecords) -> TableDelta {
        extent.advance(with: unread)
        // A record with a version and no writes announces a checkpoint; its writer died before finishing it.
        if !unread.isRestart, unread.records.contains(where: { $0.version != nil && $0.writes.isEmpty }) {
            mayHaveAbandonedFiles = true
        }
        let delta = apply(unread.records[...])
        if lacksFile, !coverage.continuesFile, hasWholeTable(in: unread.records) {
            coverage.handle(.continuationRestored)
        }
        return delta
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
        for record in records[index...] where record.replaced == nil {
            for write in record.writes { written[write.key] = readable(write) }
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
    private mutating func acceptRemovalOfJournal(_ unread: UnreadRecords) -> TableDelta {
        coverage.handle(.continuationLost)
        return accept(unread)
    }

    /// Applies records whose writes the file lacks.
    ///
    /// Records of a replaced version are skipped: the file has their writes.
    @discardableResult
    mutating func apply(_ records: ArraySlice<JournalRecord>) -> TableDelta {
        learnKeys(of: records)
        let groups = codec.form.current.groups
        var delta = TableDelta()
        for record in records where record.replaced == nil {
            var writes = TableDelta()
            for write in record.writes { writes.write(readable(write), forKey: write.key) }
            // In their order: a record may write a whole group, and the next one a key in it.
            writes = groups.separated(writes, over: table)
            table.apply(writes)
            delta.append(writes)
        }
        if !delta.isEmpty { coverage.handle(.tableExtended) }
        return delta
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
        if learnKeys(of: records, withHistory: !records.contains { $0.version == contents.version }) {
            contents.table = (try? codec.separated(contents.table, as: codec.form.current)) ?? contents.table
        }
        reading = FileReading(table: contents.table, written: nil)
        table = contents.table
        versionOfText = contents.version
        let journalContinues: Bool
        if let index = records.lastIndex(where: { $0.version == contents.version }) {
            // The writer of that record has taken this version into account.
            accept(unread, applying: records[index...])
            journalContinues = true
        } else {
            accept(unread, applying: [])
            let replay = JournalReplay(of: records, on: contents, at: fileSystem.time).delta
            table.apply(codec.form.current.groups.separated(replay, over: table))
            journalContinues = records.isEmpty
        }
        state = state.afterReading(contents)
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
        do {
            let table = try codec.decode(bytes)
            for key in codec.keysHeldTwice(in: table, of: bytes) where reportedKeys.insert(key.key) {
                notices.append(.keyHeldTwice(key, path: path.text))
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
/// record's write counts if the file still has the value that the write replaced; then the later writes to the key count as
/// well.
///
/// If the file has values from before a checkpoint, there are two possibilities. If it is the whole version, a person has
/// restored it. If it is not, and the checkpoint was a moment ago, a program has changed a version that it read before it.
private struct JournalReplay {
    /// The changes.
    let delta: TableDelta

    /// Replays records.
    ///
    /// - Parameters:
    ///   - records: All records of the journal.
    ///   - contents: The file.
    ///   - time: The time now, in milliseconds since 1970.
    init(of records: [JournalRecord], on contents: FileContents, at time: Int64) {
        let isRestored = records.contains { $0.replaced?.version == contents.version }
        var delta = TableDelta()
        for record in records {
            if let replaced = record.replaced, isRestored || !replaced.isRecent(at: time) { continue }
            for write in record.writes {
                let present = contents.table[write.key].map(ValueFingerprint.init)
                guard present == write.replaced || delta.writes(write.key) else { continue }
                delta.write(write.value, forKey: write.key)
            }
        }
        self.delta = delta
    }
}
