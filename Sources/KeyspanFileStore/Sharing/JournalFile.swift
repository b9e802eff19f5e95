/// The open journal beside a file, which is the lock of the file as well.
///
/// It keeps its name while a store may have it open, so that all processes lock the same file. One that was removed by
/// hand is noticed, because the name leads elsewhere then.
struct JournalFile: Sendable {
    /// Where it is.
    let path: AbsolutePath
    /// Whether it can be written; not by who may only read the file.
    let isWritable: Bool
    private let file: OpenFile
    private let fileSystem: any FileSystem

    /// Where the journal of a file is: beside it, hidden.
    static func path(beside file: AbsolutePath) -> AbsolutePath {
        file.sibling(name(beside: file.name))
    }

    /// What the journal of a file is called.
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
    }

    /// Makes an empty journal, which nobody but those who may write the file can open.
    ///
    /// It gets its name when it belongs to them: a process that ends before that leaves a temporary file behind, and not a
    /// journal that others cannot open. File systems without hard links have no owners, as a rule; there it gets its name
    /// at once.
    ///
    /// - Parameters:
    ///   - path: Where it is to be.
    ///   - owned: The file that it belongs to, if there is one.
    /// - Returns: `nil` if someone else has just made it.
    init?(creatingAt path: AbsolutePath, like owned: FileStatus?, in fileSystem: any FileSystem) throws(SystemCallError)
    {
        do {
            file = try Self.create(at: path, like: owned, in: fileSystem)
        } catch let error where error.isAlreadyThere {
            return nil
        }
        self.path = path
        self.fileSystem = fileSystem
        isWritable = true
    }

    private static func create(
        at path: AbsolutePath,
        like owned: FileStatus?,
        in fileSystem: any FileSystem
    ) throws(SystemCallError) -> OpenFile {
        do {
            return try createLinked(at: path, like: owned, in: fileSystem)
        } catch let error where error.call == SystemCall.link.rawValue && !error.isAlreadyThere {
            let file = try fileSystem.openFile(path.text, for: .creating)
            do throws(SystemCallError) {
                try giveAttributes(to: file, like: owned, in: fileSystem)
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
        in fileSystem: any FileSystem
    ) throws(SystemCallError) -> OpenFile {
        let file = try TemporaryFile.create(beside: path, in: fileSystem)
        defer { removeTemporaryName(file.path, in: fileSystem) }
        do throws(SystemCallError) {
            try giveAttributes(to: file, like: owned, in: fileSystem)
            // In contrast to rename(2) this does not replace the journal that someone else has just made, and locked.
            try fileSystem.linkFile(file.path, to: path.text)
        } catch {
            try? fileSystem.closeFile(file)
            throw error
        }
        return OpenFile(descriptor: file.descriptor, path: path.text)
    }

    /// Removes the temporary name of a journal.
    ///
    /// If it stays, whoever opens the journal next removes it, and those who fold. That is worth a second attempt.
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
        in fileSystem: any FileSystem
    ) throws(SystemCallError) {
        if let owned {
            try FileAttributes(of: owned).onlyForWriters.apply(to: file, in: fileSystem)
        } else {
            try FileAttributes.applyNew(to: file, in: fileSystem)
        }
    }

    /// Removes the temporary names of this journal that a process has left which ended while it made it.
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

    /// What is known about it.
    func status() throws(SystemCallError) -> FileStatus {
        try fileSystem.status(of: file)
    }

    /// Whether its name still leads to it.
    func isInPlace() throws(SystemCallError) -> Bool {
        do {
            return try fileSystem.status(ofItemAt: path.text).signature.isSameFile(as: status().signature)
        } catch let error where error.isNotFound {
            return false
        }
    }

    /// Takes the lock, if nobody has it.
    func lock(_ mode: FileLockMode) throws(SystemCallError) -> Bool {
        try fileSystem.lock(file, exclusively: mode == .exclusive)
    }

    /// Takes the lock, and blocks the thread until it is free.
    func waitForLock(_ mode: FileLockMode) throws(SystemCallError) {
        try fileSystem.waitForLock(file, exclusively: mode == .exclusive)
    }

    /// Gives the lock back.
    func unlock() throws(SystemCallError) {
        try fileSystem.unlock(file)
    }

    /// Closes it, which gives the lock back.
    func close() {
        // What was written through the descriptor was flushed, or is not counted on.
        try? fileSystem.closeFile(file)
    }

    /// Removes it; whoever waits for its lock notices.
    func remove() throws(SystemCallError) {
        try fileSystem.removeFile(path.text)
    }

    /// Reads from a place to the end.
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

    /// Writes all bytes to a place; nothing is behind them then.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to write.
    ///   - offset: Where they begin.
    ///   - size: The size of the journal now; what is behind the place is cut off first.
    ///   - isFlushing: Whether the call waits until the whole journal is on the disk.
    func write(
        _ bytes: [UInt8],
        at offset: Int,
        ofSize size: Int,
        flushing isFlushing: Bool = true
    ) throws(SystemCallError) {
        if size > offset {
            // Flushed, so that after a power failure nothing of it can be behind the new bytes.
            try fileSystem.truncate(file, to: offset)
            try fileSystem.flushContents(of: file)
        }
        do throws(SystemCallError) {
            try put(bytes, at: offset)
            if isFlushing { try flush() }
        } catch {
            // Others must not take for saved what the caller is told was not. If this fails too, they may.
            try? fileSystem.truncate(file, to: offset)
            throw error
        }
    }

    /// Writes bytes once more that are there already; a failure takes nothing away.
    func rewrite(_ bytes: [UInt8], at offset: Int) throws(SystemCallError) {
        try put(bytes, at: offset)
    }

    private func put(_ bytes: [UInt8], at offset: Int) throws(SystemCallError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try fileSystem.writeBytes(rest, to: file, at: offset + bytes.count - rest.count)
            // pwrite(2) does not answer 0 for a regular file; if a file system does, asking again would never end.
            if count == 0 { throw SystemCallError.nothingWritten(to: path.text) }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits until all that any process wrote to the journal is on the disk.
    func flush() throws(SystemCallError) {
        try fileSystem.flushContents(of: file)
    }

    /// Cuts everything off and waits until that is on the disk.
    func empty() throws(SystemCallError) {
        try fileSystem.truncate(file, to: 0)
        try flush()
    }
}
