/// The system calls of the file stores, which are their only access to the disk.
///
/// Each method is one system call, named in its documentation, so that tests can make each of them fail, stop halfway or be the
/// last one before a crash. The methods contain no policy: the caller decides about failures. ``POSIXFileSystem`` is the real file
/// system.
package protocol FileSystem: Sendable {
    /// Opens a file or a folder: `open(2)`, always with `O_CLOEXEC`.
    func openFile(_ path: String, for purpose: OpenPurpose) throws(SystemCallError) -> OpenFile

    /// Reads the next bytes: `read(2)`. An empty result means the end of the file; a short one has no meaning.
    func readBytes(from file: OpenFile, atMost count: Int) throws(SystemCallError) -> [UInt8]

    /// Writes bytes: `write(2)`. Returns the number of bytes that were written, which may be less than all.
    func writeBytes(_ bytes: ArraySlice<UInt8>, to file: OpenFile) throws(SystemCallError) -> Int

    /// Reads bytes from an offset of the file: `pread(2)`. An empty result means that the file ends there.
    func readBytes(from file: OpenFile, at offset: Int, atMost count: Int) throws(SystemCallError) -> [UInt8]

    /// Writes bytes to an offset of the file: `pwrite(2)`. Returns the number of bytes that were written, which may be less than all.
    func writeBytes(_ bytes: ArraySlice<UInt8>, to file: OpenFile, at offset: Int) throws(SystemCallError) -> Int

    /// Truncates the file, or extends it with zeros: `ftruncate(2)`.
    func truncate(_ file: OpenFile, to size: Int) throws(SystemCallError)

    /// Flushes the file to the disk: `fsync(2)`, on Apple systems `F_FULLFSYNC`.
    func flush(_ file: OpenFile) throws(SystemCallError)

    /// Flushes the bytes and the size of the file to the disk, but not necessarily its times: `fdatasync(2)`, on Apple systems
    /// `F_FULLFSYNC`.
    func flushContents(of file: OpenFile) throws(SystemCallError)

    /// Takes the advisory lock of the file for this open file, without waiting: `flock(2)` with `LOCK_NB`.
    ///
    /// An exclusive lock excludes all others, a shared one only exclusive ones. The lock ends with ``unlock(_:)``, when the file is
    /// closed, and when the process ends in any way.
    ///
    /// - Returns: Whether the lock was taken; `false` if another open file has it.
    func lock(_ file: OpenFile, exclusively isExclusive: Bool) throws(SystemCallError) -> Bool

    /// Takes the advisory lock of the file for this open file, and blocks the thread until no other open file has it:
    /// `flock(2)` without `LOCK_NB`.
    func waitForLock(_ file: OpenFile, exclusively isExclusive: Bool) throws(SystemCallError)

    /// Releases the lock: `flock(2)` with `LOCK_UN`.
    func unlock(_ file: OpenFile) throws(SystemCallError)

    /// Closes the file: `close(2)`. The descriptor is gone even if this method throws.
    func closeFile(_ file: OpenFile) throws(SystemCallError)

    /// The status of an open file: `fstat(2)`.
    func status(of file: OpenFile) throws(SystemCallError) -> FileStatus

    /// The status of a file, or of a link itself, not its target: `lstat(2)`.
    func status(ofItemAt path: String) throws(SystemCallError) -> FileStatus

    /// The number and the size of the item at a path, or of a link itself: `statx(2)` without the times, or `lstat(2)`.
    func identity(ofItemAt path: String) throws(SystemCallError) -> ItemIdentity

    /// Writes bytes to an offset of the file, and flushes these bytes: `pwritev2(2)` with `RWF_DSYNC`, or `pwrite(2)` and
    /// `fdatasync(2)`. Returns the number of bytes that were written, which may be less than all.
    func writeAndFlushBytes(
        _ bytes: ArraySlice<UInt8>,
        to file: OpenFile,
        at offset: Int
    ) throws(SystemCallError) -> Int

    /// Sets the permission bits of an open file: `fchmod(2)`.
    func setPermissions(_ permissions: UInt32, of file: OpenFile) throws(SystemCallError)

    /// Sets the time of the last change of an open file's contents, in nanoseconds since 1970: `futimens(2)`.
    ///
    /// The file system rounds the time to its own precision.
    func setModificationTime(_ nanoseconds: Int64, of file: OpenFile) throws(SystemCallError)

    /// Sets the owner and the group of an open file; `nil` leaves the old one: `fchown(2)`.
    func setOwner(_ owner: UInt32?, group: UInt32?, of file: OpenFile) throws(SystemCallError)

    /// The text of a symbolic link: `readlink(2)`.
    func target(ofLinkAt path: String) throws(SystemCallError) -> String

    /// Renames a file, and atomically replaces a file of the new name: `rename(2)`.
    func renameFile(_ path: String, to newPath: String) throws(SystemCallError)

    /// Gives a file an additional name, which must be free: `link(2)`.
    func linkFile(_ path: String, to newPath: String) throws(SystemCallError)

    /// Creates a file without a name, readable by its owner alone: `open(2)` with `O_TMPFILE`.
    ///
    /// - Parameter path: The name that ``nameFile(_:)`` gives it; until then the file vanishes with this process.
    /// - Returns: `nil` if that is not possible, for which there may be any reason.
    func openUnnamedFile(for path: String) -> OpenFile?

    /// Gives a file without a name the name for which it was opened: `linkat(2)`.
    func nameFile(_ file: OpenFile) throws(SystemCallError)

    /// Removes a file: `unlink(2)`.
    func removeFile(_ path: String) throws(SystemCallError)

    /// Creates a folder: `mkdir(2)`.
    func makeFolder(_ path: String, permissions: UInt32) throws(SystemCallError)

    /// Removes an empty folder: `rmdir(2)`.
    func removeFolder(_ path: String) throws(SystemCallError)

    /// The names of all items in a folder except `.` and `..`: `opendir(3)` and `readdir(3)`.
    ///
    /// Names that are not UTF-8 are left out: a path cannot contain them, and a store never makes a file with such a name.
    func names(inFolder path: String) throws(SystemCallError) -> [String]

    /// The time of the system's clock in nanoseconds since 1970: `clock_gettime(2)`, which cannot fail.
    var nanoseconds: Int64 { get }

    /// The user that owns new files: `geteuid(2)`, which cannot fail.
    var user: UInt32 { get }

    /// The folder from which relative paths start: `getcwd(3)`.
    func workingFolder() throws(SystemCallError) -> String
}

extension FileSystem {
    package func openUnnamedFile(for path: String) -> OpenFile? { nil }

    package func nameFile(_ file: OpenFile) throws(SystemCallError) {
        throw .notOffered(.link, file.path)
    }

    package func identity(ofItemAt path: String) throws(SystemCallError) -> ItemIdentity {
        ItemIdentity(try status(ofItemAt: path).signature)
    }

    package func writeAndFlushBytes(
        _ bytes: ArraySlice<UInt8>,
        to file: OpenFile,
        at offset: Int
    ) throws(SystemCallError) -> Int {
        let count = try writeBytes(bytes, to: file, at: offset)
        try flushContents(of: file)
        return count
    }

    /// The time of the system's clock in milliseconds since 1970.
    var time: Int64 { nanoseconds / 1_000_000 }

    /// Reads all bytes from an open file.
    ///
    /// - Parameters:
    ///   - file: A file that is open for reading.
    ///   - size: The probable size; the file may have grown or shrunk since the size was requested.
    ///   - limit: The number of bytes after which reading ends; the result may have a few more.
    package func readToEnd(
        of file: OpenFile,
        expecting size: Int,
        atMost limit: Int = .max
    ) throws(SystemCallError) -> [UInt8] {
        var contents: [UInt8] = []
        while true {
            if contents.count > limit { return contents }
            let bytes = try readBytes(from: file, atMost: max(size - contents.count, 4096))
            if bytes.isEmpty { return contents }
            if contents.isEmpty {
                // Usually the whole file, which is not copied then.
                contents = bytes
            } else {
                contents += bytes
            }
        }
    }

    /// Writes all bytes to an open file, after the bytes that were written last.
    package func writeAll(_ bytes: [UInt8], to file: OpenFile) throws(SystemCallError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try writeBytes(rest, to: file)
            // write(2) does not return 0 for a regular file; if a file system does, repeating the call would never end.
            if count == 0 { throw .nothingWritten(to: file.path) }
            rest = rest.dropFirst(count)
        }
    }
}

/// The system calls of ``FileSystem`` by their names.
package enum SystemCall: String, Sendable {
    case open, close, read, write, pread, pwrite, pwritev2, ftruncate, fsync, fdatasync, flock
    case fstat, lstat, statx, fchmod, fchown, futimens, readlink, rename, link, unlink, mkdir, rmdir, opendir, getcwd
    // File watching makes these calls, not ``FileSystem``.
    case inotifyInit = "inotify_init1"
    case inotifyAddWatch = "inotify_add_watch"
}

/// The purpose for which a file is opened.
package enum OpenPurpose: Sendable, Hashable {
    /// To read it, without blocking if it turns out to be a pipe or a device (`O_NONBLOCK`).
    case reading
    /// To read and write an existing file, without following a link in its place (`O_RDWR`, `O_NOFOLLOW`).
    case updating
    /// To read and write a file that does not exist yet, readable by its owner alone (`O_CREAT`, `O_EXCL`, `O_NOFOLLOW`, 0600).
    case creating
    /// To read and write a file that does not exist yet, for those whom the umask leaves the right to (0666).
    case creatingByUmask
    /// To flush a folder (`O_DIRECTORY`).
    case folder
    /// To change the owner of a folder that was just created, without following a link in its place (`O_DIRECTORY`, `O_NOFOLLOW`).
    case newFolder
}

/// An open file: its descriptor, and the path for errors.
package struct OpenFile: Sendable, Hashable {
    /// The descriptor.
    package let descriptor: Int32
    /// The path that the file was opened with.
    package let path: String

    /// Makes an open file from a descriptor.
    package init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }
}
