import KeyspanCore

/// The open journal beside a file, which is also the lock of the file.
///
/// It keeps its name while a store may have it open, so that all processes lock the same file. A removal by hand is
/// detected, because the name then leads to another file or none.
struct JournalFile: Sendable {
    /// Where it is.
    let path: AbsolutePath
    /// Whether it can be written; `false` for a process that may only read the file.
    let isWritable: Bool
    /// The status of the file when it was opened.
    let opened: FileStatus
    private let file: OpenFile
    private let fileSystem: any FileSystem

    /// The path of the journal of a file: beside it, hidden.
    static func path(beside file: AbsolutePath) -> AbsolutePath {
        file.sibling(name(beside: file.name))
    }

    /// The name of the journal of a file.
    static func name(beside name: String) -> String {
        ".\(CompanionName.stem(of: name)).journal"
    }

    /// Opens the journal, if there is one.
    ///
    /// - Parameters:
    ///   - path: Where it is.
    ///   - mayOnlyRead: Whether a journal that cannot be opened for writing is opened for reading.
    init?(
        existingAt path: AbsolutePath,
        orForReading mayOnlyRead: Bool,
        in fileSystem: any FileSystem
    ) throws(SystemCallError) {
        do {
            (file, isWritable) = (try fileSystem.openFile(path.text, for: .updating), true)
        } catch let error where error.isNotFound {
            return nil
        } catch let error where mayOnlyRead && error.isWriteProtection {
            (file, isWritable) = (try fileSystem.openFile(path.text, for: .reading), false)
        }
        self.path = path
        self.fileSystem = fileSystem
        opened = try Self.status(ofOpened: file, in: fileSystem)
    }

    /// Creates an empty journal that only users who may write the file can open.
    ///
    /// It gets its name after its owner and permissions: a process that dies before leaves a temporary file behind, and not a
    /// journal that others cannot open. File systems without hard links usually have no owners; there it gets its name
    /// at once.
    ///
    /// - Parameters:
    ///   - path: Its future path.
    ///   - owned: The file that it belongs to, if there is one.
    ///   - newFiles: The permissions if there is no such file.
    /// - Returns: `nil` if another process has just created it, or has removed the new one.
    init?(
        creatingAt path: AbsolutePath,
        like owned: FileStatus?,
        _ newFiles: FileStoreOptions.NewFiles,
        in fileSystem: any FileSystem
    ) throws(SystemCallError) {
        do {
            guard let file = try Self.create(at: path, like: owned, newFiles, in: fileSystem) else { return nil }
            self.file = file
        } catch let error where error.isAlreadyThere {
            return nil
        }
        self.path = path
        self.fileSystem = fileSystem
        isWritable = true
        opened = try Self.status(ofOpened: file, in: fileSystem)
    }

    private static func status(
        ofOpened file: OpenFile,
        in fileSystem: any FileSystem
    ) throws(SystemCallError) -> FileStatus {
        do throws(SystemCallError) {
            return try fileSystem.status(of: file)
        } catch {
            try? fileSystem.closeFile(file)
            throw error
        }
    }

    private static func create(
        at path: AbsolutePath,
        like owned: FileStatus?,
        _ newFiles: FileStoreOptions.NewFiles,
        in fileSystem: any FileSystem
    ) throws(SystemCallError) -> OpenFile? {
        // With another version of the file, it gets the rights of that.
        let newFiles = owned == nil ? newFiles : .areForOwner
        do {
            return try createLinked(at: path, like: owned, newFiles, in: fileSystem)
        } catch let error where error.call == SystemCall.link.rawValue && !error.isAlreadyThere {
            let file = try fileSystem.openFile(path.text, for: newFiles.purpose)
            do throws(SystemCallError) {
                try giveAttributes(to: file, like: owned, newFiles, in: fileSystem)
            } catch {
                try? fileSystem.closeFile(file)
                throw error
            }
            return file
        }
    }

    private static func createLinked(
        at path: AbsolutePath,
        like owned: FileStatus?,
        _ newFiles: FileStoreOptions.NewFiles,
        in fileSystem: any FileSystem
    ) throws(SystemCallError) -> OpenFile? {
        let file = try TemporaryFile.create(beside: path, newFiles, in: fileSystem)
        defer { removeTemporaryName(file.path, in: fileSystem) }
        do throws(SystemCallError) {
            try giveAttributes(to: file, like: owned, newFiles, in: fileSystem)
            // Unlike rename(2), this does not replace a journal that another process has just created and locked.
            try fileSystem.linkFile(file.path, to: path.text)
            // The system reports writes under the name with which the writer has opened the file, and other processes watch for
            // that of the journal.
            let journal = try openUnlessRemoved(path, in: fileSystem)
            // Nothing was written through this descriptor, so closing it cannot lose anything.
            try? fileSystem.closeFile(file)
            return journal
        } catch {
            try? fileSystem.closeFile(file)
            throw error
        }
    }

    /// Opens a new journal by its name; `nil` if a process that needs only its lock has had the lock and removed it.
    private static func openUnlessRemoved(
        _ path: AbsolutePath,
        in fileSystem: any FileSystem
    ) throws(SystemCallError) -> OpenFile? {
        do {
            return try fileSystem.openFile(path.text, for: .updating)
        } catch let error where error.isNotFound {
            return nil
        }
    }

    /// Removes the temporary name of a journal.
    ///
    /// If it stays, the next process that opens the journal or makes a checkpoint removes it. That is worth a second attempt.
    private static func removeTemporaryName(_ path: String, in fileSystem: any FileSystem) {
        do {
            try fileSystem.removeFile(path)
        } catch {
            try? fileSystem.removeFile(path)
        }
    }

    private static func giveAttributes(
        to file: OpenFile,
        like owned: FileStatus?,
        _ newFiles: FileStoreOptions.NewFiles,
        in fileSystem: any FileSystem
    ) throws(SystemCallError) {
        var model = owned
        if owned == nil {
            try FileAttributes.applyNew(to: file, newFiles, in: fileSystem)
            // Those who may only read the future file must not be able to hold its lock.
            if newFiles == .followUmask { model = try fileSystem.status(of: file) }
        }
        if let model { try FileAttributes(of: model).onlyForWriters.apply(to: file, in: fileSystem) }
    }

    /// Removes the temporary names of this journal left by a process that died while it created the journal.
    func removeNamesOfCreation(of journal: FileStatus) {
        for name in (try? fileSystem.names(inFolder: path.folder)) ?? []
        where TemporaryFile.isName(name, for: path.name) {
            let other = path.sibling(name).text
            guard let status = try? fileSystem.status(ofItemAt: other),
                status.signature.isSameFile(as: journal.signature)
            else { continue }
            try? fileSystem.removeFile(other)
        }
    }

    /// The status of the open journal.
    func status() throws(SystemCallError) -> FileStatus {
        try fileSystem.status(of: file)
    }

    /// The number of bytes in the journal, if its name still leads to it; otherwise `nil`.
    func sizeInPlace() throws(SystemCallError) -> Int? {
        do {
            let found = try fileSystem.identity(ofItemAt: path.text)
            return found.isSameItem(as: ItemIdentity(opened.signature)) ? found.size : nil
        } catch let error where error.isNotFound {
            return nil
        }
    }

    /// Takes the lock, if it is free.
    ///
    /// - Returns: Whether the lock was taken.
    func lock(_ mode: FileLockMode) throws(SystemCallError) -> Bool {
        try fileSystem.lock(file, exclusively: mode == .exclusive)
    }

    /// Takes the lock, and blocks the thread until it is free.
    func waitForLock(_ mode: FileLockMode) throws(SystemCallError) {
        try fileSystem.waitForLock(file, exclusively: mode == .exclusive)
    }

    /// Releases the lock.
    func unlock() throws(SystemCallError) {
        try fileSystem.unlock(file)
    }

    /// Closes it, which releases the lock.
    func close() {
        // All bytes that count were flushed before.
        try? fileSystem.closeFile(file)
    }

    /// Removes it; processes that wait for its lock notice that.
    func remove() throws(SystemCallError) {
        try fileSystem.removeFile(path.text)
    }

    /// Reads the bytes between two offsets.
    func read(from offset: Int, to end: Int) throws(SystemCallError) -> [UInt8] {
        var bytes: [UInt8] = []
        while offset + bytes.count < end {
            let next = try fileSystem.readBytes(
                from: file,
                at: offset + bytes.count,
                atMost: end - offset - bytes.count
            )
            if next.isEmpty { break }
            if bytes.isEmpty {
                bytes = next
            } else {
                bytes += next
            }
        }
        return bytes
    }

    /// How a write treats the bytes of the journal around it.
    struct WriteMode {
        /// The size of the journal now.
        var size: Int
        /// Whether there are only zeros behind the offset; if not, these bytes are cut off first.
        var isClean: Bool
        /// The size to which the journal is extended with zeros if the bytes do not fit; `nil` if that is not wanted.
        var reserve: Int?
        /// Whether the call waits until the whole journal is on the disk.
        var isFlushing = true
        /// Whether all bytes before the offset are known to be on the disk.
        var followsFlushed = false
    }

    /// Writes all bytes to an offset; apart from zeros they are then the last bytes of the journal.
    ///
    /// - Returns: The size of the journal.
    func write(_ bytes: [UInt8], at offset: Int, _ mode: WriteMode) throws(SystemCallError) -> Int {
        var size = mode.size
        if size > offset, !mode.isClean {
            // Flushed, so that after a power failure no old bytes can follow the new ones.
            try fileSystem.truncate(file, to: offset)
            try fileSystem.flushContents(of: file)
            size = offset
        }
        let end = offset + bytes.count
        do throws(SystemCallError) {
            if end <= size, mode.isFlushing, mode.followsFlushed {
                try putAndFlush(bytes, at: offset)
            } else {
                try put(bytes, at: offset)
                if end > size { size = extend(from: end, to: mode.reserve) }
                if mode.isFlushing { try flush() }
            }
        } catch {
            // Other processes must not read bytes for which the caller gets an error, and neither may this one after a power
            // failure: the system may have written them before the flush failed. If this fails too, they may.
            if (try? fileSystem.truncate(file, to: offset)) != nil, mode.isFlushing { try? flush() }
            throw error
        }
        return size
    }

    /// Extends the journal with zeros, so that the next records change neither its size nor its blocks.
    ///
    /// A flush then has only the bytes to write, which takes about half as long. Zeros that are written are faster than
    /// `fallocate(2)`, whose blocks must be marked as written when they are.
    ///
    /// - Returns: The size of the journal. Without room for the zeros it is as it was, because records need none.
    private func extend(from end: Int, to size: Int?) -> Int {
        guard let size, size > end else { return end }
        do {
            try put([UInt8](repeating: 0, count: size - end), at: end)
            return size
        } catch {
            return end
        }
    }

    /// Writes bytes again that are there already; a failure removes none.
    func rewrite(_ bytes: [UInt8], at offset: Int) throws(SystemCallError) {
        try put(bytes, at: offset)
    }

    private func put(_ bytes: [UInt8], at offset: Int) throws(SystemCallError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try fileSystem.writeBytes(rest, to: file, at: offset + bytes.count - rest.count)
            // pwrite(2) does not return 0 for a regular file; if a file system does, a retry would never end.
            if count == 0 { throw SystemCallError.nothingWritten(to: path.text) }
            rest = rest.dropFirst(count)
        }
    }

    private func putAndFlush(_ bytes: [UInt8], at offset: Int) throws(SystemCallError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try fileSystem.writeAndFlushBytes(rest, to: file, at: offset + bytes.count - rest.count)
            if count == 0 { throw SystemCallError.nothingWritten(to: path.text) }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits until all bytes that any process wrote to the journal are on the disk.
    func flush() throws(SystemCallError) {
        try fileSystem.flushContents(of: file)
    }

    /// Cuts everything off and waits until that is on the disk.
    func empty() throws(SystemCallError) {
        try fileSystem.truncate(file, to: 0)
        try flush()
    }
}

extension AbsolutePath {
    /// The journal of the settings file at this path.
    package var journal: AbsolutePath { JournalFile.path(beside: self) }

    /// Whether the file has the name of a journal, so that stores of another file would take it for theirs.
    package var isNamedLikeJournal: Bool { name.hasUTF8Prefix(".") && name.hasUTF8Suffix(".journal") }
}

/// Which bytes of the open journal this process knows to be on the disk.
///
/// Another process may have died between a write and its flush, so bytes count only after a flush by this process.
struct JournalFlushes: Sendable {
    /// Whether the journal's name is on the disk.
    var isNamed = false
    /// Whether a flush failed, so that the system may count bytes as written that the disk lacks.
    ///
    /// Linux does not write such bytes again with a later flush. They must be written to the journal again.
    var hasFailed = false
    private var end: JournalPosition?

    /// Makes the knowledge about a journal that was not open before.
    init() {}

    /// Makes the knowledge about a journal that is opened again.
    ///
    /// The system reports a failed flush once, so a flush through a new descriptor proves nothing about lost bytes.
    init(after closed: JournalFlushes) {
        hasFailed = closed.hasFailed
    }

    /// Forgets which bytes are on the disk, because another process has replaced some of them.
    mutating func forgetEnd() {
        end = nil
    }

    /// Notes that the journal is on the disk up to a position.
    mutating func reach(_ position: JournalPosition) {
        end = position
        hasFailed = false
    }

    /// The position up to which the journal is on the disk; `nil` if this process has not flushed this epoch of the journal.
    func end(before position: JournalPosition) -> JournalPosition? {
        guard let end, end.epoch == position.epoch, end.offset <= position.offset else { return nil }
        return end
    }

    /// How many bytes before a position are on the disk; `nil` if this process has not flushed this epoch of the journal.
    func size(before position: JournalPosition) -> Int? {
        end(before: position)?.offset
    }

    /// Whether everything before a position is on the disk, and so is the journal's name.
    func covers(_ position: JournalPosition) -> Bool {
        isNamed && !hasFailed && end == position
    }
}
