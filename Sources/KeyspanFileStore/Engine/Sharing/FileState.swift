internal import KeyspanCore

/// The contents of a file when it was read.
struct FileContents: Sendable {
    /// Whether the bytes and the name of a version are on the disk.
    enum Flush: Sendable {
        /// Another program may have written them without a flush.
        case unknown
        /// They are on the disk: written by a store that flushes, or flushed by this process when the file had a signature.
        case done(by: FileSignature?)
        /// A flush failed. The system may have dropped the bytes, and a later flush would succeed without them.
        case failed
    }

    /// The keys and values.
    var table: PropertyListTable
    /// The digest of the bytes.
    var version: FileVersion
    /// The file as the system knows it; `nil` if there is none, or if it may have changed while it was read.
    var signature: FileSignature?
    /// Whether the bytes and the name of the file are on the disk.
    var flush = Flush.unknown

    /// The contents of a missing file.
    static let missing = FileContents(
        table: PropertyListTable(),
        version: .missing,
        signature: nil,
        flush: .done(by: nil)
    )

    /// Whether the bytes and the name of the file are known to be on the disk.
    var isFlushed: Bool {
        switch flush {
        case .done: true
        case .unknown, .failed: false
        }
    }

    /// Takes over the signature of a file that was read again and has the same bytes.
    mutating func update(from same: FileContents, foundAs found: FileSignature?) {
        signature = same.signature
        switch flush {
        case .failed: break
        case .unknown: flush = same.flush
        case .done(let flushed):
            let isSameFile = flushed != nil && flushed == found
            if !isSameFile { flush = same.flush }
        }
    }
}

/// The knowledge of this process about the file.
enum FileState: Sendable {
    /// It has not been read yet.
    case unread
    /// It cannot be parsed and is being replaced by the values that were restored.
    case recovering
    /// It never existed, as far as is known. Only in this state and before it, a missing folder is made: one that disappears
    /// later may be a volume that is not mounted.
    case neverExisted
    /// It has these contents.
    case present(FileContents)
    /// It was removed, or another program is about to write a new one in its place. The values that it had last stay in
    /// effect until there is a file again.
    case removed(PropertyListTable)

    /// The version that the table was made from; `nil` before the first look.
    var contents: FileContents? {
        switch self {
        case .unread, .recovering: nil
        case .neverExisted: .missing
        case .present(let contents): contents
        case .removed(let table):
            FileContents(table: table, version: .missing, signature: nil, flush: .done(by: nil))
        }
    }

    /// Whether the folder of the file may be missing because nothing was saved yet.
    var isNew: Bool {
        switch self {
        case .unread, .neverExisted: true
        case .recovering, .present, .removed: false
        }
    }

    /// Replaces the table by one with the same values.
    mutating func replaceTable(by table: PropertyListTable) {
        switch self {
        case .unread, .recovering, .neverExisted: break
        case .present(var contents):
            contents.table = table
            self = .present(contents)
        case .removed: self = .removed(table)
        }
    }

    /// The state after reading contents, or after finding no file.
    func afterReading(_ contents: FileContents) -> FileState {
        if contents.version != .missing { return .present(contents) }
        return isNew ? .neverExisted : .removed(contents.table)
    }
}

/// Which part of the disk holds the values of the table.
///
/// Two questions make the states: whether the file alone holds every value, and whether the journal's records continue this
/// version of the file.
enum DiskCoverage: Sendable {
    /// The file holds every value, and the journal continues it.
    case file
    /// The file holds every value, but the journal's records continue another version: the next record names this one.
    case fileOnly
    /// The file and the journal's records together hold every value.
    case fileAndJournal
    /// The disk lacks values, or does not say which: the next record names the version of the file and repeats the values
    /// that the table has beyond it.
    case memory

    /// An event in the life of the table, the file and the journal.
    enum Event: Sendable {
        /// The table got values that the file lacks.
        case tableExtended
        /// A record with everything that the file lacks was written; it continues the version of the file.
        case recordWritten
        /// The file was replaced by a version with every value.
        case fileReplaced
        /// The journal could not be emptied after the file got every value, so a checkpoint must be repeated.
        case emptyingFailed
        /// No record continues the file: the file or the journal was removed, or the journal was cut off or begun anew.
        case continuationLost
        /// The journal was found or made to continue the file.
        case continuationRestored
        /// Values of the table are neither in the file nor in the journal.
        case valuesLost
    }

    /// Makes a coverage from the answers to its two questions.
    init(fileHasAll: Bool, journalContinues: Bool) {
        self =
            switch (fileHasAll, journalContinues) {
            case (true, true): .file
            case (true, false): .fileOnly
            case (false, true): .fileAndJournal
            case (false, false): .memory
            }
    }

    /// Changes the state; the table of all transitions.
    mutating func handle(_ event: Event) {
        self =
            switch (event, self) {
            case (.tableExtended, .file), (.tableExtended, .fileAndJournal): .fileAndJournal
            case (.tableExtended, .fileOnly), (.tableExtended, .memory): .memory

            case (.recordWritten, .file), (.recordWritten, .fileOnly): .fileAndJournal
            case (.recordWritten, .fileAndJournal), (.recordWritten, .memory): .fileAndJournal

            case (.fileReplaced, .file), (.fileReplaced, .fileOnly): .file
            case (.fileReplaced, .fileAndJournal), (.fileReplaced, .memory): .file

            case (.emptyingFailed, .file), (.emptyingFailed, .fileAndJournal): .fileAndJournal
            case (.emptyingFailed, .fileOnly), (.emptyingFailed, .memory): .memory

            case (.continuationLost, .file), (.continuationLost, .fileOnly): .fileOnly
            case (.continuationLost, .fileAndJournal), (.continuationLost, .memory): .memory

            case (.continuationRestored, .file), (.continuationRestored, .fileOnly): .file
            case (.continuationRestored, .fileAndJournal), (.continuationRestored, .memory): .fileAndJournal

            case (.valuesLost, .file), (.valuesLost, .fileOnly): .memory
            case (.valuesLost, .fileAndJournal), (.valuesLost, .memory): .memory
            }
    }

    /// Whether the file alone holds every value, so that a checkpoint has nothing to write.
    var isCheckpointed: Bool {
        switch self {
        case .file, .fileOnly: true
        case .fileAndJournal, .memory: false
        }
    }

    /// Whether the next record may continue the journal without naming the version of the file.
    var continuesFile: Bool {
        switch self {
        case .file, .fileAndJournal: true
        case .fileOnly, .memory: false
        }
    }
}

/// The lock of a file as this process holds it.
enum LockState: Sendable {
    /// This process does not hold the lock.
    case released
    /// This process holds the lock, and the journal's name leads to the journal that is locked.
    case held(FileLockMode)
    /// The file is closed for good.
    case closed
}
