import KeyspanCore

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
        // A file that is gone may be on its way from an editor; what it had stays in force until there is one again.
        if let known, found == known.signature || found == nil, !news.isRestart {
            return accept(news)
        }
        if known != nil, news.end == nil, found == known?.signature {
            return acceptRemovalOfJournal(news)
        }
        if let folded = news.folded, !mustContinueAnew, isKnown(folded), folded.file == found {
            replaceKnown(by: FileContents(table: table, version: news.version, signature: found))
            isFolded = true
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
                return accept(news)
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
        return apply(news.records[...])
    }

    /// Someone removed the journal; what it had is in the table, and goes into the next one.
    private mutating func acceptRemovalOfJournal(_ news: JournalNews) -> TableDelta {
        mustContinueAnew = true
        return accept(news)
    }

    private mutating func apply(_ records: ArraySlice<JournalRecord>) -> TableDelta {
        var delta = TableDelta()
        for write in records.lazy.flatMap(\.writes) {
            delta.write(write.value, forKey: write.key)
        }
        if !delta.isEmpty { isFolded = false }
        table.apply(delta)
        return delta
    }

    /// Makes the table of a version of the file that is new, and of the journal.
    private mutating func adopt(_ contents: FileContents, _ news: JournalNews) throws(FileStoreError) {
        if let version = known?.version, version == contents.version, !news.isRestart || news.end == nil {
            known?.signature = contents.signature
            _ = news.isRestart ? acceptRemovalOfJournal(news) : accept(news)
            return
        }
        let records = news.isRestart || news.end == nil ? news.records : try readAllRecords()
        if let index = records.lastIndex(where: { $0.version == contents.version }) {
            // Who wrote that record has taken this version into account.
            table = contents.table
            accept(news, applying: records[index...])
            mustContinueAnew = false
        } else if let known, let replaced = news.isRestart ? news.folded.flatMap(tableKnownAs) : known.table {
            var versions = recent
            versions.append(known.table)
            accept(news)
            let edit = TableDelta(from: replaced, to: contents.table)
            table.apply(policy.keepsJournal ? versions.smallest(edit, to: contents.table) : edit)
            mustContinueAnew = true
        } else {
            table = contents.table
            accept(news, applying: [])
            for write in records.lazy.flatMap(\.writes)
            where contents.table[write.key].map(ValueFingerprint.init) == write.replaced {
                table[write.key] = write.value
            }
            mustContinueAnew = !records.isEmpty
        }
        replaceKnown(by: contents)
        isFolded = table == contents.table
    }

    private mutating func accept(_ news: JournalNews, applying records: ArraySlice<JournalRecord>) {
        var news = news
        news.records = Array(records)
        accept(news)
    }

    private mutating func replaceKnown(by contents: FileContents) {
        if let known { recent.append(known.table) }
        known = contents
        if contents.version != .missing { isNew = false }
    }

    /// Whether all that was folded is in the table.
    private func isKnown(_ folded: JournalHeader.Folded) -> Bool {
        guard let position else { return false }
        return folded.epoch == position.epoch && folded.end <= position.offset
    }

    /// The version of the file that was made by folding, if the table is that.
    private func tableKnownAs(_ folded: JournalHeader.Folded) -> PropertyListTable? {
        isKnown(folded) ? table : nil
    }
}

extension JournalNews {
    /// The version of the file that a journal continues that was begun by folding: its first record names it.
    fileprivate var version: FileVersion { records.first?.version ?? .missing }
}
