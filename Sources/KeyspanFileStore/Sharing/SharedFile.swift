package import KeyspanCore

/// A file of keys and values that several processes read and write, with the journal beside it: the half of a file store
/// that is on the disk.
///
/// **What it holds** is decided by the disk alone, so that all processes agree: the file, with the records of the journal
/// applied that continue this version of the file. A record names the version that it and the next ones continue. If none
/// names the present version, someone who does not know of the journal has replaced the file; then ``JournalReplay`` decides
/// which writes still count.
///
/// **Who writes** has the exclusive lock, and has read first what others wrote: ``lock(_:)``, ``catchUp(tolerantly:)``, and
/// then ``write(_:)`` or ``fold()``. A crash at any point leaves what was there, or that with the whole record.
///
/// **Folding** writes a new version of the file with everything in it. The journal names that version before the file gets
/// its name, and is emptied when it has it. So a crash in between leaves two that fit each other.
///
/// Not safe for concurrent use by itself; ``FileBackedTable`` puts it behind a mutex.
package struct SharedFile: Sendable {
    /// The file, or a link that leads to it.
    package let path: AbsolutePath
    /// What the file and its journal hold together, as last seen.
    package internal(set) var table = PropertyListTable()
    /// What is worth telling although it was no error; who calls takes and reports it.
    var notices: [FileStoreNotice] = []

    let fileSystem: any FileSystem
    let codec: any FileCodec
    let policy: FilePolicy
    let patience: LockPatience

    /// Where the file is now; looked up under each lock.
    var place: ResolvedFile
    /// The version of the file that the table was made of; `nil` before the first look.
    var known: FileContents?
    /// Whether there never was a file, as far as is known: only then a missing folder is made, because one that goes
    /// away later may be a volume that is not mounted.
    var isNew = true

    /// Whether the file could not be flushed, so that a new version of it has to be.
    var mustRewriteFile = false
    /// Whether this process has flushed the names of the folders that lead to a file that never was there.
    var hasFlushedFolders = false

    /// Whether ``close()`` was called, after which nobody uses the file.
    var isClosed = false
    /// When the caller asked for the lock, which may have been long before ``lock(_:)``: threads of one process wait for one
    /// another first.
    package var askedAt: LockPatience.Instant?
    /// Since when the lock has been waited for in vain; `nil` once it was taken.
    var unavailableSince: LockPatience.Instant?
    /// How the turns at the lock went.
    var turns = LockTurns()
    /// Whether the file system has been found to have no locks.
    var isWithoutLocks = false
    /// The open journal.
    var journal: JournalFile?
    /// What of the open journal is known to be on the disk.
    var journalFlushes = JournalFlushes()
    /// Whether the lock that is held keeps everybody out, so that the journal's name leads to this one until it is given
    /// back.
    var mayRemoveJournal = false
    /// Where the journal was last reported to end early.
    var reportedEnd: ReportedEnd?
    /// How far the journal has been read; `nil` if it has no header yet.
    var position: JournalPosition?
    /// The number of bytes in the journal, of which the last ones may be the rest of an append that was cut off.
    var journalSize = 0
    /// Whether the next record has to name the version of the file and repeat what the table has beyond it.
    var mustContinueAnew = false
    /// Whether the bytes behind the position are damage that has to be kept before they are overwritten.
    var hasDamagedRest = false
    /// Whether a process may have ended while it saved, and left its temporary file behind.
    var mayHaveAbandonedFiles = false
    /// How large the file would have been when that was last measured.
    var measuredSize: MeasuredSize?
    /// Whether the folder was looked at, which is done once.
    private var hasLookedAtFolder = false
    /// Whether the file has everything that the table has.
    package internal(set) var isFolded = true

    /// Makes a file, without touching the disk but to find the working folder.
    ///
    /// - Parameters:
    ///   - path: A path of any kind; a relative one starts from the present working folder.
    ///   - codec: The format.
    ///   - policy: How it is shared and kept.
    ///   - fileSystem: Where the file is.
    ///   - sleep: How a thread waits for a lock.
    /// - Throws: ``FileStoreError`` if no file can have that path.
    package init(
        path: String,
        codec: any FileCodec,
        policy: FilePolicy,
        fileSystem: any FileSystem,
        sleep: @escaping @Sendable (Duration) -> Void = LockPatience.stopThread
    ) throws(FileStoreError) {
        if path.isEmpty { throw .invalidPath("\"\"", reason: "the path is empty") }
        if path.utf8.contains(0) { throw .invalidPath(path.debugDescription, reason: "the path has a NUL character") }
        if path.utf8.last == UInt8(ascii: "/") { throw .invalidPath(path, reason: "the path is that of a folder") }
        do {
            self.path = try fileSystem.absolutePath(of: path)
        } catch {
            throw FileStoreError(.locate, path: path, error)
        }
        self.codec = codec
        self.policy = policy
        self.fileSystem = fileSystem
        patience = LockPatience(limit: policy.lockLimit, sleep: sleep)
        place = ResolvedFile(path: self.path, status: nil)
    }

    /// Whether there is something to fold, and the journal can be written.
    package var canFold: Bool { policy.keepsJournal && !isFolded && journal?.isWritable == true }

    /// About how large the file would be if the journal were folded.
    var approximateSize: Int { (known?.version.size ?? 0) + journalSize }

    /// Whether the journal has become larger than the file, so that it costs less to read after a fold.
    package var isFoldUrgent: Bool { journalSize > max(Self.smallJournalSize, known?.version.size ?? 0) }

    /// How large a journal may be in any case.
    private static let smallJournalSize = 1 << 20

    /// The epoch of the journal that was read last, if there was one.
    ///
    /// Each fold begins a journal with another epoch.
    var journalEpoch: UInt64? { position?.epoch }

    /// Whether the version of the file that is in the table is the one on the disk, as far as the last lock can tell.
    var hasPresentVersion: Bool { place.status?.signature == known?.signature }

    /// Whether the journal has to be written for others to see what is in the table, although nothing was changed here:
    /// someone has replaced the file by a version that was made of an older one.
    package var mustBeAdopted: Bool { mustContinueAnew && policy.keepsJournal && !isFolded }

    /// Whether the table has values of a file that someone has removed since.
    var lacksFile: Bool { known.map { $0.version == .missing && !$0.table.isEmpty } ?? false }

    /// Whether the disk lacks what the table has, so that even a write without changes has something to write.
    var isUnwritten: Bool { mustRewriteFile || mustBeAdopted || lacksFile && (mustContinueAnew || !policy.keepsJournal) }

    /// Reads the file and its journal for the first time.
    ///
    /// - Returns: What was done about a file that could not be parsed, if the policy allows that.
    /// - Throws: ``FileStoreError``; nothing was written then.
    package mutating func open() throws(FileStoreError) -> FileRecovery? {
        do throws(FileStoreError) {
            try lock(.shared)
            defer { unlock() }
            _ = try catchUp(tolerantly: false)
            // A process that ended within a fold or a save has left its journal or its lock behind.
            mayHaveAbandonedFiles = journal != nil && (!isFolded || journalSize == 0)
            return nil
        } catch let error where policy.recovers && error.step == .parse {
            try lock(.exclusive)
            defer { unlock() }
            return try recoverUnlessMended(error)
        }
    }

    /// Notes, before this process writes for the first time, if others may put files where this one is.
    ///
    /// In a sticky folder they can put nothing in the place of a file that belongs to this user.
    mutating func lookAtFolder() {
        guard !hasLookedAtFolder else { return }
        hasLookedAtFolder = true
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
            throw FileStoreError(step, path: path.text, error)
        }
    }
}
