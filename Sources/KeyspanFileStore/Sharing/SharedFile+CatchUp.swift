package import KeyspanCore

extension SharedFile {
    /// Reads what others wrote since the last time; called under the lock.
    ///
    /// - Parameter isTolerant: Whether a file that cannot be read or parsed is passed over, because it is only written to
    ///   the journal. What the file had before stays in force then.
    /// - Returns: What changed in ``table``.
    /// - Throws: ``FileStoreError``; nothing has changed then.
    package mutating func catchUp(tolerantly isTolerant: Bool) throws(FileStoreError) -> TableDelta {
        let news = try readNews()
        let found = place.status?.signature
        if found == nil { noteRemoval() }
        if let known, found == known.signature || found == nil, !news.isRestart {
            return accept(news)
        }
        if known != nil, news.end == nil, found == known?.signature {
            return acceptRemovalOfJournal(news)
        }
        if let folded = news.folded, !mustContinueAnew, isKnown(folded), folded.file == found {
            // The journal is begun when the name of the new version is on the disk.
            known = FileContents(table: table, version: news.version, signature: found, isFlushed: true)
            (isFolded, isNew) = (true, false)
            return accept(news)
        }
        let before = table
        do {
            if let contents = try readFile() {
                try adopt(contents, news)
            } else if known == nil {
                try adopt(.missing, news)
            } else {
                mustContinueAnew = true
                isFolded = false
                // A fold that this process has not seen was into the file that is gone.
                if news.isRestart {
                    apply(news.records.filter { $0.replaced != nil }.map { JournalRecord(writes: $0.writes) }[...])
                }
                accept(news)
            }
        } catch  where isTolerant && known != nil && !news.isRestart {
            return accept(news)
        }
        return TableDelta(from: before, to: table)
    }

    /// Applies the records that continue the version of the file that is known.
    @discardableResult
    private mutating func accept(_ news: JournalNews) -> TableDelta {
        (position, journalSize, hasDamagedRest) = (news.end, news.size, news.hasDamagedRest)
        // Who names a version without a write is about to fold, and has not come to an end.
        if !news.isRestart, news.records.contains(where: { $0.version != nil && $0.writes.isEmpty }) {
            mayHaveAbandonedFiles = true
        }
        let delta = apply(news.records[...])
        if lacksFile, mustContinueAnew, isWritten(in: news.records) { mustContinueAnew = false }
        return delta
    }

    /// Whether records that continue no file have everything that is in the table, because another process wrote them.
    private func isWritten(in records: [JournalRecord]) -> Bool {
        guard let index = records.lastIndex(where: { $0.version == .missing }) else { return false }
        var written = PropertyListTable()
        for record in records[index...] where record.replaced == nil {
            for write in record.writes { written[write.key] = readable(write) }
        }
        return written == table
    }

    /// Someone removed the file, or is about to write a new one in its place.
    ///
    /// What it had stays in force until there is a file again, and goes into the next record or version: no record
    /// continues what is there now. What the file had is kept, so that a later file tells what was changed in it.
    private mutating func noteRemoval() {
        guard let known, known.version != .missing else { return }
        self.known = FileContents(table: known.table, version: .missing, signature: nil, isFlushed: true)
        mustContinueAnew = true
    }

    /// Someone removed the journal; what it had is in the table, and goes into the next one.
    private mutating func acceptRemovalOfJournal(_ news: JournalNews) -> TableDelta {
        mustContinueAnew = true
        return accept(news)
    }

    /// Applies records whose writes the file does not have; those that tell of a replaced version are in it.
    @discardableResult
    mutating func apply(_ records: ArraySlice<JournalRecord>) -> TableDelta {
        var delta = TableDelta()
        for record in records where record.replaced == nil {
            for write in record.writes { delta.write(readable(write), forKey: write.key) }
        }
        if !delta.isEmpty { isFolded = false }
        table.apply(delta)
        return delta
    }

    /// The value of a record as it is read from the file after a fold.
    ///
    /// A process that has the file open with another format may have written more than this format holds.
    private func readable(_ write: JournalRecord.Write) -> PropertyListValue? {
        guard !codec.isExact, let value = write.value else { return write.value }
        // One that it cannot hold at all is told by the fold, which fails.
        return (try? codec.written(value, forKey: write.key)) ?? value
    }

    /// Makes the table of a version of the file that is new, and of the journal.
    private mutating func adopt(_ contents: FileContents, _ news: JournalNews) throws(FileStoreError) {
        var contents = contents
        if let signature = contents.signature, signature == news.folded?.file { contents.isFlushed = true }
        if let version = known?.version, version == contents.version, !news.isRestart || news.end == nil {
            known?.signature = contents.signature
            let isSameFile = known?.flushed != nil && known?.flushed == place.status?.signature
            known?.isFlushed = contents.isFlushed || isSameFile
            _ = news.isRestart ? acceptRemovalOfJournal(news) : accept(news)
            return
        }
        let records = news.isRestart || news.end == nil ? news.records : try readAllRecords()
        table = contents.table
        if let index = records.lastIndex(where: { $0.version == contents.version }) {
            // Who wrote that record has taken this version into account.
            accept(news, applying: records[index...])
            mustContinueAnew = false
        } else {
            accept(news, applying: [])
            table.apply(JournalReplay(of: records, on: contents, at: fileSystem.time).delta)
            mustContinueAnew = !records.isEmpty
        }
        (known, mustRewriteFile) = (contents, false)
        if contents.version != .missing { isNew = false }
        isFolded = table == contents.table
    }

    private mutating func accept(_ news: JournalNews, applying records: ArraySlice<JournalRecord>) {
        var news = news
        news.records = Array(records)
        accept(news)
    }

    /// Whether all that was folded is in the table.
    private func isKnown(_ folded: JournalHeader.Folded) -> Bool {
        guard let position else { return false }
        return folded.epoch == position.epoch && folded.end <= position.offset
    }
}

extension JournalNews {
    /// The version of the file that a journal continues that was begun by folding: its first record names it.
    fileprivate var version: FileVersion { records.first?.version ?? .missing }
}
