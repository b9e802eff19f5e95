extension SharedFile {
    /// Looks at what the journal has beyond the position up to which it is known.
    mutating func readNews() throws(FileStoreError) -> JournalNews {
        var news = JournalNews()
        guard let journal else {
            news.isRestart = position != nil
            return news
        }
        news.size = try sizeOfJournal(journal)
        guard let header = try readHeader(of: journal, ofSize: news.size) else {
            news.isRestart = position != nil
            news.hasDamagedRest = news.size > 0
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
        let bytes = try readWholeJournal()
        guard let header = try? JournalHeader(bytes[...]) else { return [] }
        return JournalReading(bytes[header.start.offset...], from: header.start).records
    }

    /// Reads all that is in the journal, whatever it is.
    func readWholeJournal() throws(FileStoreError) -> [UInt8] {
        guard let journal else { return [] }
        let size = try sizeOfJournal(journal)
        return try step(.readJournal) { () throws(SystemCallError) in try journal.read(from: 0, to: size) }
    }

    /// The number of bytes in the journal, unless there are more than are read into memory.
    private func sizeOfJournal(_ journal: JournalFile) throws(FileStoreError) -> Int {
        let size = try step(.readJournal, journal.status).size
        if size > policy.maximumJournalSize {
            throw .tooLargeJournal(
                path: path.text,
                journal: journal.path.text,
                size: size,
                limit: policy.maximumJournalSize
            )
        }
        return size
    }

    /// - Returns: `nil` if there is no header, and nothing that would need one.
    private mutating func readHeader(of journal: JournalFile, ofSize size: Int) throws(FileStoreError) -> JournalHeader?
    {
        let bytes = try step(.readJournal) { () throws(SystemCallError) in
            try journal.read(from: 0, to: min(size, JournalHeader.length))
        }
        do throws(JournalFault) {
            return try JournalHeader(bytes[...])
        } catch .incompleteHeader {
            if size > 0 { report(.incomplete, in: journal, at: nil) }
            return nil
        } catch {
            // The first bytes are on the disk before anything is appended, so a journal of only those, without a write, may
            // be torn. And a store that has everything in its table writes it anew.
            let isTorn = try isTornBeginning(journal, ofSize: size)
            let mayGoOn = known != nil || policy.recovers || isTorn
            // A version that is torn is zero.
            let isOfOtherVersion = if case .unknownVersion(1...) = error { true } else { false }
            guard mayGoOn, !isOfOtherVersion else {
                throw .damagedJournal(path: path.text, journal: journal.path.text, error)
            }
            report(.damaged(isFollowed: false), in: journal, at: nil)
            return nil
        }
    }

    /// Whether a journal without a whole header may be one that a crash has torn while it was begun.
    private func isTornBeginning(_ journal: JournalFile, ofSize size: Int) throws(FileStoreError) -> Bool {
        guard size <= Self.sizeOfBeginning else { return false }
        let bytes = try step(.readJournal) { () throws(SystemCallError) in try journal.read(from: 0, to: size) }
        return !JournalSearch.findsWrites(in: bytes[...])
    }

    /// The most bytes that are written when a journal is begun: a header and a record without writes.
    private static let sizeOfBeginning = JournalHeader.length + 64

    /// Decides whether what is behind the records can be passed over.
    private mutating func judge(
        _ rest: JournalReading.Rest,
        in journal: JournalFile,
        behind end: JournalPosition
    ) throws(FileStoreError) {
        switch rest {
        case .nothing: return
        case .damaged(isFollowed: true) where known == nil && !policy.recovers:
            throw .damagedJournal(path: path.text, journal: journal.path.text, at: end.offset)
        case .incomplete, .damaged: report(rest, in: journal, at: end)
        }
    }

    private mutating func report(_ rest: JournalReading.Rest, in journal: JournalFile, at end: JournalPosition?) {
        let place = ReportedEnd(position: end)
        guard place != reportedEnd else { return }
        reportedEnd = place
        notices.append(
            .journalEndsEarly(path: path.text, journal: journal.path.text, at: end?.offset ?? 0, rest)
        )
    }
}

/// Where a journal was reported to end early, so that it is reported once.
struct ReportedEnd: Sendable, Hashable {
    /// The place; `nil` for its beginning.
    let position: JournalPosition?
}
