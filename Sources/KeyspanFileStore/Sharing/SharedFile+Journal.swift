extension SharedFile {
    /// Looks at what the journal has beyond the position up to which it is known.
    mutating func readNews() throws(FileStoreError) -> JournalNews {
        var news = JournalNews()
        guard let journal else {
            news.isRestart = position != nil
            return news
        }
        news.size = try step(.readJournal, journal.status).size
        guard let header = try readHeader(of: journal, ofSize: news.size) else {
            news.isRestart = position != nil
            news.hasDamagedRest = news.size >= JournalHeader.length
            return news
        }
        news.folded = header.folded
        news.isRestart = position?.epoch != header.epoch
        // One that is shorter than it was has been damaged by someone; what it had is in the table.
        let hasShrunk = !news.isRestart && position.map { $0.offset > news.size } ?? false
        let start = news.isRestart || hasShrunk ? header.start : position ?? header.start
        let bytes = try step(.readJournal) { () throws(SystemCallError) in
            try journal.read(from: start.offset, to: news.size)
        }
        let reading = JournalReading(bytes[...], from: start)
        try judge(reading.rest, in: journal, behind: reading.end)
        if hasShrunk {
            mustContinueAnew = true
        } else {
            news.records = reading.records
        }
        news.end = reading.end
        if case .damaged = reading.rest { news.hasDamagedRest = true }
        return news
    }

    /// Reads the journal from its first record to the last one.
    func readAllRecords() throws(FileStoreError) -> [JournalRecord] {
        guard let journal else { return [] }
        return try step(.readJournal) { () throws(SystemCallError) in
            let bytes = try journal.read(from: 0, to: try journal.status().size)
            guard let header = try? JournalHeader(bytes[...]) else { return [] }
            return JournalReading(bytes[header.start.offset...], from: header.start).records
        }
    }

    private mutating func readHeader(of journal: JournalFile, ofSize size: Int) throws(FileStoreError) -> JournalHeader? {
        let bytes = try step(.readJournal) { () throws(SystemCallError) in
            try journal.read(from: 0, to: min(size, JournalHeader.length))
        }
        do throws(JournalFault) {
            return try JournalHeader(bytes[...])
        } catch .incompleteHeader {
            return nil
        } catch {
            // A header is on the disk before the first record is written, so without records it may be torn. A store that
            // has everything in its table writes it anew.
            let mayGoOn = size <= JournalHeader.length || known != nil || policy.recovers
            if case .unknownVersion = error {} else if mayGoOn { return nil }
            throw .damagedJournal(
                path: path.text,
                journal: journal.path.text,
                reason: error.reason,
                remedy: error.remedy
            )
        }
    }

    /// Decides whether what is behind the records can be passed over.
    private mutating func judge(
        _ rest: JournalReading.Rest,
        in journal: JournalFile,
        behind end: JournalPosition
    ) throws(FileStoreError) {
        switch rest {
        case .nothing: return
        case .damaged(isFollowed: true) where known == nil && !policy.recovers:
            throw .damagedJournal(
                path: path.text,
                journal: journal.path.text,
                reason: "the record at byte \(end.offset) is damaged, and there are others behind it",
                remedy: "open the store with recovery, which keeps the journal and goes on without them"
            )
        case .incomplete, .damaged:
            guard end != reportedEnd else { return }
            reportedEnd = end
            notices.append(.journalEndsEarly(path: path.text, journal: journal.path.text, at: end.offset, rest))
        }
    }
}
