package import KeyspanCore

/// A file of keys and values that several processes read and write, with the journal beside it: the part of a file store
/// that is on the disk.
///
/// **The contents** are decided by the disk alone, so that all processes agree: the file, with the journal's records
/// that continue this version of the file applied to it. A record names the version that it and the next ones continue. If no
/// record names the present version, a program that does not know the journal has replaced the file; then ``JournalReplay``
/// decides which writes still count.
///
/// **A writer** holds the exclusive lock, and first reads what others wrote: ``lock(_:)``, ``catchUp(tolerantly:)``, and
/// then ``write(_:)`` or ``checkpoint()``. A crash at any point leaves the previous contents, or those with the whole record.
///
/// **A checkpoint** writes a new version of the file with everything in it. The journal names that version before the file is
/// renamed, and is emptied afterwards. So a crash in between leaves a file and a journal that match.
///
/// Three enumerations hold its state: ``FileState``, ``DiskCoverage`` with its table of transitions, and ``LockState``.
///
/// Not safe for concurrent use by itself; ``FileEngine`` keeps it behind a mutex.
package struct SharedFile: Sendable {
    /// The file, or a link that leads to it.
    package let path: AbsolutePath
    /// The contents of the file and its journal together, as last seen.
    package internal(set) var table = PropertyListTable()
    /// Notices that the caller has not taken yet.
    var notices: [FileStoreNotice] = []

    let fileSystem: any FileSystem
    let codec: any FileCodec
    let options: FileStoreOptions

    /// Where the file is now; looked up under each lock.
    var place: ResolvedFile
    /// The known contents of the file.
    var state = FileState.unread
    /// Which part of the disk holds the values of the table.
    var coverage = DiskCoverage.file

    /// The open journal.
    var journal: JournalFile?
    /// The version of the file whose text is under ``table``; another one after a checkpoint by another process.
    var versionOfText: FileVersion?
    /// How names lead into the dictionaries of the table.
    var naming: NestedNaming?
    /// How far the journal has been read.
    var extent = JournalExtent()
    /// The end of the journal for threads that do not have the file's mutex.
    let knownEnd = KnownEnd()
    /// The number of bytes in the journal when its lock was taken; `nil` if this process has written to it since.
    var sizeAtLock: Int?
    /// Which bytes of the open journal are known to be on the disk.
    var journalFlushes = JournalFlushes()
    /// The keys that the present version of the file has twice and that were reported.
    var reportedKeys: Set<UTF8Text> = []
    /// Where the journal was last reported to end early.
    var reportedEnd: ReportedEnd?
    /// How many bytes were written to the file and its journal, without copies and repetitions.
    var writtenBytes = 0
    /// The size of the file when it was last measured.
    var measuredSize: MeasuredSize?
    /// A version of the file that this process has put in its place and not made durable.
    var unflushedReplacement: FileSignature?
    /// Whether a process may have died while it saved and left its temporary file behind.
    var mayHaveAbandonedFiles = false

    /// The lock of the file.
    var lockState = LockState.released
    /// How waits for the lock went.
    var lockWaits: LockWaits
    /// Whether the folders were checked and their names flushed, which is done once, before the first write.
    private var isPreparedToWrite = false

    /// Makes a file, without touching the disk except to find the working folder.
    ///
    /// - Parameters:
    ///   - path: A path of any kind; a relative one starts from the present working folder.
    ///   - codec: The format.
    ///   - names: The names of keys, which may be nested where the file does not have them.
    ///   - options: How it is shared and kept.
    ///   - fileSystem: Where the file is.
    ///   - sleep: Stops the thread for a time while it waits for a lock.
    /// - Throws: ``FileStoreError`` if no file can have that path.
    package init(
        path: String,
        codec: any FileCodec,
        nesting names: [String] = [],
        options: FileStoreOptions,
        fileSystem: any FileSystem,
        sleep: @escaping @Sendable (Duration) -> Void = LockPatience.stopThread
    ) throws(FileStoreError) {
        if path.utf8.last == UInt8(ascii: "/") { throw .invalidPath(path, reason: "the path is that of a folder") }
        self.path = try fileSystem.locate(path)
        self.codec = codec
        self.options = options
        naming = options.naming(nesting: names)
        table.naming = naming
        self.fileSystem = fileSystem
        lockWaits = LockWaits(patience: LockPatience(limit: options.lockTimeout, sleep: sleep))
        place = ResolvedFile(path: self.path, status: nil)
    }

    /// Reads the file and its journal for the first time.
    ///
    /// - Returns: The result of recovering a file that could not be parsed, if the options allow that.
    /// - Throws: ``FileStoreError``; nothing was written then.
    package mutating func open() throws(FileStoreError) -> FileRecovery? {
        do throws(FileStoreError) {
            if options.locksToRead { try read() } else { try readBetweenWrites() }
            return nil
        } catch let error where options.keepsGoodCopy && error.step == .parse {
            try lock(.exclusive)
            defer { unlock() }
            return try recoverUnlessMended(error)
        }
    }

    private mutating func read() throws(FileStoreError) {
        try lock(.shared)
        defer { unlock() }
        _ = try readUnread(tolerantly: false)
        // A process that died during a checkpoint or a save has left its journal or its lock behind.
        mayHaveAbandonedFiles = journal != nil && (!coverage.isCheckpointed || extent.size == 0)
    }

    /// Reads the file and its journal without the lock, again until no process has changed them meanwhile: a checkpoint changes both, and
    /// the old one of one and the new one of the other have values that were removed.
    private mutating func readBetweenWrites() throws(FileStoreError) {
        let (patience, deadline) = (lockWaits.patience, lockWaits.deadline)
        var (before, failure) = (bytesOnDisk, FileStoreError?.none)
        let isDone = patience.wait(until: deadline) {
            var attempt = self
            failure = nil
            do throws(FileStoreError) {
                try attempt.read()
            } catch {
                failure = error
            }
            let after = bytesOnDisk
            guard after == before else {
                attempt.closeJournal()
                before = after
                return false
            }
            self = attempt
            return true
        }
        if !isDone { throw .locked(path: path.text, after: lockWaits.giveUp(at: deadline)) }
        if let failure { throw failure }
    }

    /// What distinguishes the present version of the file, and all bytes of the journal: within a tick of the file system's clock, records
    /// change neither its size nor its time.
    private var bytesOnDisk: (file: FileSignature?, journal: [UInt8]?) {
        guard let place = try? fileSystem.resolve(path) else { return (nil, nil) }
        let journal = JournalFile.path(beside: place.path)
        let bytes = try? fileSystem.readFile(journal, atMost: options.limits.maximumJournalSize)?.bytes
        return (place.status?.signature, bytes)
    }

    /// Prepares the first write, under the exclusive lock.
    mutating func prepareToWrite() throws(FileStoreError) {
        guard !isPreparedToWrite else { return }
        if state.isNew { try flushNamesOfFolders() }
        isPreparedToWrite = true
        checkFolder()
    }

    /// Adds a notice if other users may put files in the folder of the file.
    ///
    /// In a sticky folder they cannot replace a file that belongs to this user.
    private mutating func checkFolder() {
        let folder = place.path.folder
        // The dot makes lstat(2) follow links in the place of the folder, which need not exist yet.
        guard let status = try? fileSystem.status(ofItemAt: folder + "/."), status.permissions & 0o002 != 0 else {
            return
        }
        if status.isSticky, place.status == nil || place.status?.owner == fileSystem.user { return }
        notices.append(.worldWritableFolder(path: path.text, folder: folder))
    }

    /// Takes the notices.
    package mutating func takeNotices() -> [FileStoreNotice] {
        defer { notices = [] }
        return notices
    }

    /// Runs a system call as one step of the work on the file.
    func step<Result>(
        _ step: FileStoreError.Step,
        _ body: () throws(SystemCallError) -> Result
    ) throws(FileStoreError) -> Result {
        do {
            return try body()
        } catch {
            throw FileStoreError(step, path: path.text, error, in: fileSystem)
        }
    }
}

/// The questions that ``FileEngine`` asks.
extension SharedFile {
    /// The version of the file that the table was made from; `nil` before the first look.
    var known: FileContents? { state.contents }

    /// Whether ``close()`` was called, after which the file is not used.
    var isClosed: Bool {
        switch lockState {
        case .closed: true
        case .released, .held: false
        }
    }

    /// Whether a checkpoint has something to write, and the journal can be written.
    package var canCheckpoint: Bool {
        options.keepsJournal && !coverage.isCheckpointed && journal?.isWritable == true
    }

    /// Whether the journal has become larger than the file, so that reading it costs less after a checkpoint.
    package var isCheckpointUrgent: Bool { sizeOfRecords > max(Self.smallJournalSize, known?.version.size ?? 0) }

    /// The size up to which a journal never makes a checkpoint urgent.
    private static let smallJournalSize = 1 << 20

    /// The approximate size of the file after a checkpoint.
    var approximateSize: Int { (known?.version.size ?? 0) + sizeOfRecords }

    /// The number of bytes in the journal without the reserved space behind the records.
    private var sizeOfRecords: Int { extent.end?.offset ?? extent.size }

    /// The epoch of the journal that was read last, if there was one.
    ///
    /// Each checkpoint begins a journal with another epoch.
    var journalEpoch: UInt64? { extent.end?.epoch }

    /// Whether the version of the file that is in the table is the one on the disk, as far as the last lock can tell.
    var hasPresentVersion: Bool { place.status?.signature == known?.signature }

    /// Whether the journal must be written for others to see the table, although nothing was changed here: a program
    /// has replaced the file by a version that was made from an older one.
    package var mustBeRecorded: Bool {
        switch coverage {
        case .memory: options.keepsJournal
        case .file, .fileOnly, .fileAndJournal: false
        }
    }

    /// Whether the file could not be flushed and must be replaced by a new version.
    var mustBeReplaced: Bool {
        guard case .present(let contents) = state else { return false }
        switch contents.flush {
        case .failed: return true
        case .unknown, .done: return false
        }
    }

    /// Whether the table has values of a file that has been removed.
    var lacksFile: Bool {
        switch state {
        case .removed(let table): !table.isEmpty
        case .unread, .recovering, .neverExisted, .present: false
        }
    }

    /// Whether the disk lacks values of the table, so that even a write without changes has something to write.
    var isUnwritten: Bool {
        mustBeReplaced || mustBeRecorded || lacksFile && (!coverage.continuesFile || !options.keepsJournal)
    }

    /// When the engine was asked for work that needs the lock, which may have been long before ``lock(_:)``: threads of one
    /// process first wait for one another.
    package var askedAt: LockPatience.Instant? {
        get { lockWaits.askedAt }
        set { lockWaits.askedAt = newValue }
    }
}
