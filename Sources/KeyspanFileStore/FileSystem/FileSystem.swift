/// The system calls that the file stores make, and the only way in which they reach the disk.
///
/// One method is one call, named in its documentation, so that tests can let each of them fail, stop half-way or be the
/// last one before a crash. There is no policy in here: what a failure means is decided by the caller.
/// ``POSIXFileSystem`` is the real one.
package protocol FileSystem: Sendable {
    /// Opens a file or a folder: `open(2)`, always with `O_CLOEXEC`.
    func openFile(_ path: String, for purpose: OpenPurpose) throws(SystemCallError) -> OpenFile

    /// Reads the next bytes: `read(2)`. No bytes mean the end of the file; fewer than asked for mean nothing.
    func readBytes(from file: OpenFile, atMost count: Int) throws(SystemCallError) -> [UInt8]

    /// Writes bytes: `write(2)`. Returns how many were written, which may be fewer than there are.
    func writeBytes(_ bytes: ArraySlice<UInt8>, to file: OpenFile) throws(SystemCallError) -> Int

    /// Reads bytes from a place in the file: `pread(2)`. No bytes mean that the file ends there.
    func readBytes(from file: OpenFile, at offset: Int, atMost count: Int) throws(SystemCallError) -> [UInt8]

    /// Writes bytes to a place in the file: `pwrite(2)`. Returns how many were written, which may be fewer than there are.
    func writeBytes(_ bytes: ArraySlice<UInt8>, to file: OpenFile, at offset: Int) throws(SystemCallError) -> Int

    /// Cuts the file off, or lengthens it with zeros: `ftruncate(2)`.
    func truncate(_ file: OpenFile, to size: Int) throws(SystemCallError)

    /// Returns when all that was written to the file is on the disk: `fsync(2)`, on Apple systems `F_FULLFSYNC`.
    func flush(_ file: OpenFile) throws(SystemCallError)

    /// Returns when the bytes and the size of the file are on the disk, its times perhaps not: `fdatasync(2)`, on Apple
    /// systems `F_FULLFSYNC`.
    func flushContents(of file: OpenFile) throws(SystemCallError)

    /// Takes the advisory lock of the file for this open file, without waiting for it: `flock(2)` with `LOCK_NB`.
    ///
    /// An exclusive lock keeps out all others, a shared one only exclusive ones. It ends with ``unlock(_:)``, when the
    /// file is closed, and with the process, however that ends.
    ///
    /// - Returns: Whether the lock was taken; not if another open file has it.
    func lock(_ file: OpenFile, exclusively isExclusive: Bool) throws(SystemCallError) -> Bool

    /// Takes the advisory lock of the file for this open file, and blocks the thread until no other open file has it:
    /// `flock(2)` without `LOCK_NB`.
    func waitForLock(_ file: OpenFile, exclusively isExclusive: Bool) throws(SystemCallError)

    /// Gives the lock back: `flock(2)` with `LOCK_UN`.
    func unlock(_ file: OpenFile) throws(SystemCallError)

    /// Closes the file: `close(2)`. The descriptor is gone even if this throws.
    func closeFile(_ file: OpenFile) throws(SystemCallError)

    /// What is known about an open file: `fstat(2)`.
    func status(of file: OpenFile) throws(SystemCallError) -> FileStatus

    /// What is known about a file, or about a link itself, not its target: `lstat(2)`.
    func status(ofItemAt path: String) throws(SystemCallError) -> FileStatus

    /// Sets the permission bits of an open file: `fchmod(2)`.
    func setPermissions(_ permissions: UInt32, of file: OpenFile) throws(SystemCallError)

    /// Sets when the contents of an open file were changed, in nanoseconds since 1970: `futimens(2)`.
    ///
    /// File systems keep as much of that as they can.
    func setModificationTime(_ nanoseconds: Int64, of file: OpenFile) throws(SystemCallError)

    /// Sets the owner and the group of an open file; `nil` leaves one as it is: `fchown(2)`.
    func setOwner(_ owner: UInt32?, group: UInt32?, of file: OpenFile) throws(SystemCallError)

    /// The text of a symbolic link: `readlink(2)`.
    func target(ofLinkAt path: String) throws(SystemCallError) -> String

    /// Gives a file another name in one step, in place of a file of that name: `rename(2)`.
    func renameFile(_ path: String, to newPath: String) throws(SystemCallError)

    /// Gives a file another name as well, which must be free: `link(2)`.
    func linkFile(_ path: String, to newPath: String) throws(SystemCallError)

    /// Removes a file: `unlink(2)`.
    func removeFile(_ path: String) throws(SystemCallError)

    /// Makes a folder: `mkdir(2)`.
    func makeFolder(_ path: String, permissions: UInt32) throws(SystemCallError)

    /// Removes an empty folder: `rmdir(2)`.
    func removeFolder(_ path: String) throws(SystemCallError)

    /// The names of all that is in a folder, but `.` and `..`: `opendir(3)` and `readdir(3)`.
    func names(inFolder path: String) throws(SystemCallError) -> [String]

    /// The time by the clock of the machine in nanoseconds since 1970: `clock_gettime(2)`, which cannot fail.
    var nanoseconds: Int64 { get }

    /// The user that new files belong to: `geteuid(2)`, which cannot fail.
    var user: UInt32 { get }

    /// The folder that relative paths start from: `getcwd(3)`.
    func workingFolder() throws(SystemCallError) -> String
}

extension FileSystem {
    /// The time by the clock of the machine in milliseconds since 1970.
    var time: Int64 { nanoseconds / 1_000_000 }
}
