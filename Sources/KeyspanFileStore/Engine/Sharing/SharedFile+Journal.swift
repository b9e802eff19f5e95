extension SharedFile {
    /// Reads the records behind the position up to which the journal is known.
    mutating func readUnreadRecords() throws(FileStoreError) -> UnreadRecords {
        var unread = UnreadRecords()
        guard let journal else {
            unread.isRestart = extent.end != nil
            return unread
        }
        let size = try sizeOfJournal(journal)
        if let appended = try readAppendedRecords(in: journal, ofSize: size) { return appended }
        unread.extent.size = size
        let window = try step(.readJournal) { () throws(SystemCallError) in
            try JournalWindow(on: journal, ofSize: size)
        }
        guard let header = try readHeader(of: journal, in: window, ofSize: size) else {
            unread.isRestart = extent.end != nil
            unread.extent.hasDamagedRest = size > 0
            unread.extent.isClean = size == 0
            return unread
        }
        unread.checkpoint = header.checkpoint
        unread.extent.header = header
        unread.isRestart = extent.end?.epoch != header.epoch
        let isRewritten = unread.isRestart ? false : try !holdsKnownRecords(window, ofSize: size)
        let start = unread.isRestart || isRewritten ? header.start : extent.end ?? header.start
        let bytes = try step(.readJournal) { () throws(SystemCallError) in
            try window.read(from: start.offset, to: size)
        }
        let reading = JournalReading(bytes, from: start)
        try judge(reading.rest, in: journal, behind: reading.end)
        (unread.records, unread.ends) = (reading.records, reading.ends)
        unread.knownCount = unread.isRestart ? 0 : extent.count
        if isRewritten {
            // The known records are in the table, and the others were written after a loss of bytes.
            unread.knownCount = extent.commonCount(with: reading.ends)
            unread.records.removeFirst(unread.knownCount)
            unread.ends.removeFirst(unread.knownCount)
            coverage.handle(.continuationLost)
            journalFlushes.forgetEnd()
            measuredSize = nil
        }
        unread.start = header.start
        unread.extent.end = reading.end
        unread.extent.isClean = reading.rest == .nothing
        switch reading.rest {
        case .damaged: unread.extent.hasDamagedRest = true
        case .nothing, .incomplete: break
        }
        return unread
    }

    /// Reads the records behind the known ones in one call, if the journal still has these and ends in the usual way.
    ///
    /// The checksum of the last known record depends on the epoch and on all records before it. So if that record is whole and in
    /// its place, the header is the known one, and whoever reads the journal reads on behind it.
    ///
    /// - Returns: `nil` if the journal must be read in another way.
    private func readAppendedRecords(
        in journal: JournalFile,
        ofSize size: Int
    ) throws(FileStoreError) -> UnreadRecords? {
        guard let end = extent.end, let header = extent.header, extent.isClean, let start = extent.startOfLastRecord,
            end.offset <= size, end.offset - start <= Self.sizeOfWindow
        else { return nil }
        let bytes = try step(.readJournal) { () throws(SystemCallError) in
            try journal.read(from: start, to: min(size, end.offset + Self.sizeOfWindow))
        }
        guard JournalFrame.chain(behind: bytes.prefix(end.offset - start)) == end.chain else { return nil }
        let reading = JournalReading(bytes.dropFirst(end.offset - start), from: end)
        let sizeOfRest = start + bytes.count - reading.end.offset
        // Fewer zeros could be the first bytes of a record.
        guard reading.rest == .nothing, sizeOfRest >= JournalFrame.headLength || reading.end.offset + sizeOfRest == size
        else { return nil }
        var unread = UnreadRecords()
        (unread.records, unread.ends, unread.knownCount) = (reading.records, reading.ends, extent.count)
        unread.checkpoint = header.checkpoint
        (unread.extent.end, unread.extent.size, unread.extent.header) = (reading.end, size, header)
        return unread
    }

    /// The number of bytes that are read before and behind the end of the known records.
    private static let sizeOfWindow = 1024

    /// Whether the journal still has all known records of its epoch, and the last one is whole.
    ///
    /// A process that loses bytes to a failed flush, or finds a journal that was cut off, writes other records in their place.
    /// The checksum of the last known record depends on all records before it.
    private func holdsKnownRecords(_ journal: JournalWindow, ofSize size: Int) throws(FileStoreError) -> Bool {
        guard let end = extent.end, let start = extent.startOfLastRecord else { return true }
        if end.offset > size { return false }
        let last = try step(.readJournal) { () throws(SystemCallError) in
            try journal.read(from: start, to: end.offset)
        }
        return JournalFrame.chain(behind: last) == end.chain
    }

    /// Reads the journal from its first record to the last one.
    func readAllRecords() throws(FileStoreError) -> [JournalRecord] {
        let bytes = try readWholeJournal()
        guard let header = try? JournalHeader(bytes[...]) else { return [] }
        return JournalReading(bytes[header.start.offset...], from: header.start).records
    }

    /// Reads all bytes of the journal, damaged or not.
    func readWholeJournal() throws(FileStoreError) -> [UInt8] {
        guard let journal else { return [] }
        let size = try sizeOfJournal(journal)
        return try step(.readJournal) { () throws(SystemCallError) in try journal.read(from: 0, to: size) }
    }

    /// The number of bytes in the journal.
    ///
    /// - Throws: ``FileStoreError`` if there are more than this process reads into memory.
    private func sizeOfJournal(_ journal: JournalFile) throws(FileStoreError) -> Int {
        let size = if let sizeAtLock { sizeAtLock } else { try step(.readJournal, journal.status).size }
        if size > options.limits.maximumJournalSize {
            throw .tooLargeJournal(
                path: path.text,
                journal: journal.path.text,
                size: size,
                limit: options.limits.maximumJournalSize
            )
        }
        return size
    }

    /// Reads the header of the journal.
    ///
    /// - Returns: `nil` for a journal without a header and without records that would need one.
    private mutating func readHeader(
        of journal: JournalFile,
        in window: JournalWindow,
        ofSize size: Int
    ) throws(FileStoreError) -> JournalHeader? {
        let bytes = try step(.readJournal) { () throws(SystemCallError) in
            try window.read(from: 0, to: min(size, JournalHeader.length))
        }
        do throws(JournalFault) {
            return try JournalHeader(bytes)
        } catch .incompleteHeader {
            if size > 0 { report(.incomplete, in: journal, at: nil) }
            return nil
        } catch {
            // The first bytes are on the disk before anything is appended, so only a journal that consists of them, without a
            // write, may be torn. And a store that has everything in its table writes the journal anew.
            let isTorn = try isTornBeginning(journal, ofSize: size)
            let mayContinue = known != nil || options.keepsGoodCopy || isTorn
            // A torn version number is zero.
            let isOfOtherVersion = if case .unknownVersion(1...) = error { true } else { false }
            guard mayContinue, !isOfOtherVersion else {
                throw .damagedJournal(path: path.text, journal: journal.path.text, error)
            }
            report(.damaged(isFollowed: false), in: journal, at: nil)
            return nil
        }
    }

    /// Whether a crash may have torn a journal without a whole header while it was begun.
    private func isTornBeginning(_ journal: JournalFile, ofSize size: Int) throws(FileStoreError) -> Bool {
        guard size <= Self.sizeOfBeginning else { return false }
        let bytes = try step(.readJournal) { () throws(SystemCallError) in try journal.read(from: 0, to: size) }
        return !JournalSearch.findsWrites(in: bytes[...])
    }

    /// The maximum number of bytes written when a journal is begun: a header and a record without writes.
    private static let sizeOfBeginning = JournalHeader.length + 64

    /// Throws if the bytes behind the records show that records are lost.
    private mutating func judge(
        _ rest: JournalReading.Rest,
        in journal: JournalFile,
        behind end: JournalPosition
    ) throws(FileStoreError) {
        switch rest {
        case .nothing: return
        case .damaged(isFollowed: true) where known == nil && !options.keepsGoodCopy:
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

/// The bytes of a journal, which take one system call if it is small.
private struct JournalWindow {
    private let journal: JournalFile
    /// All bytes of a small journal.
    private let all: [UInt8]?

    /// The size up to which copying a journal costs less than another system call.
    private static let smallSize = 4096

    init(on journal: JournalFile, ofSize size: Int) throws(SystemCallError) {
        self.journal = journal
        all = size <= Self.smallSize ? try journal.read(from: 0, to: size) : nil
    }

    /// The bytes between two offsets, as far as there are any.
    func read(from offset: Int, to end: Int) throws(SystemCallError) -> ArraySlice<UInt8> {
        if let all { return all[..<min(end, all.count)].dropFirst(offset) }
        return try journal.read(from: offset, to: end)[...]
    }
}

/// Where a journal was reported to end early, so that it is reported once.
struct ReportedEnd: Sendable, Hashable {
    /// The position; `nil` for the start of the journal.
    let position: JournalPosition?
}

/// How far a journal has been read.
struct JournalExtent: Sendable {
    /// The position behind the last whole record; `nil` if the journal has no header.
    fileprivate(set) var end: JournalPosition?
    /// The number of bytes in the journal, of which the last ones may be reserved or the rest of an append that was cut off.
    var size = 0
    /// Whether all bytes behind the end are zeros, so that they can be overwritten without being cut off first.
    var isClean = true
    /// The header of the journal as it was last read or written.
    var header: JournalHeader?
    /// Whether the bytes behind the end are damage that must be kept before they are overwritten.
    var hasDamagedRest = false

    /// The end of a known record.
    private struct RecordEnd {
        let offset: Int
        let chain: UInt32
    }

    /// The ends of the known records of the epoch, in their order.
    private var ends: [RecordEnd] = []
    /// Where the first record of the epoch begins.
    private var start: JournalPosition?

    /// The number of known records.
    var count: Int { ends.count }

    /// Where the last known record begins; `nil` if there is none.
    var startOfLastRecord: Int? {
        ends.isEmpty ? nil : ends.count > 1 ? ends[ends.count - 2].offset : start?.offset
    }

    /// The last known record and the end, if the bytes behind it are zeros.
    var tail: KnownEnd.Tail? {
        guard isClean, let end, let startOfLastRecord else { return nil }
        return KnownEnd.Tail(start: startOfLastRecord, end: end)
    }

    /// Begins an epoch without records.
    mutating func begin(with header: JournalHeader) {
        self.header = header
        (start, end, ends) = (header.start, header.start, [])
    }

    /// Adds records that this process wrote.
    mutating func advance(to positions: [JournalPosition]) {
        ends += positions.lazy.map { RecordEnd(offset: $0.offset, chain: $0.chain) }
        end = positions.last ?? end
    }

    /// Adds records that were read.
    mutating func advance(with unread: UnreadRecords) {
        ends.removeLast(max(ends.count - unread.knownCount, 0))
        advance(to: unread.ends)
        (start, end) = (unread.start ?? start, unread.extent.end)
        (size, isClean, hasDamagedRest) = (unread.extent.size, unread.extent.isClean, unread.extent.hasDamagedRest)
        header = unread.extent.header
        if end == nil { (start, ends) = (nil, []) }
    }

    /// Forgets the records behind a position, or all of them.
    mutating func cut(to position: JournalPosition?) {
        (end, isClean) = (position, false)
        ends.removeAll { $0.offset > position?.offset ?? 0 }
        if position == nil { start = nil }
    }

    /// How many of the known records are the first ones of the records that end at the positions.
    func commonCount(with positions: [JournalPosition]) -> Int {
        zip(ends, positions).prefix { $0.offset == $1.offset && $0.chain == $1.chain }.reduce(0) { count, _ in count + 1
        }
    }

    /// Whether all records before a position are known.
    func includes(_ position: JournalPosition) -> Bool {
        guard let end, end.epoch == position.epoch else { return false }
        if position == end || position == start { return true }
        // In the usual case the position is among the last ones.
        let found = ends.last { $0.offset <= position.offset }
        return found?.offset == position.offset && found?.chain == position.chain
    }
}

/// The records of a journal that were not read before.
struct UnreadRecords: Sendable {
    /// The records behind the position up to which the journal was known, or all of them.
    var records: [JournalRecord] = []
    /// The positions behind the records that were not known.
    var ends: [JournalPosition] = []
    /// How many of the known records precede them.
    var knownCount = 0
    /// Where the first record of the journal begins; `nil` for a journal without a header.
    var start: JournalPosition?
    /// Whether this is another journal than the one that was known, so that the records are complete.
    var isRestart = false
    /// The checkpoint with which this journal was begun, if that is known.
    var checkpoint: JournalHeader.Checkpoint?
    /// How far the journal has been read now.
    var extent = JournalExtent()
}
