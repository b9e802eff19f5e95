package import KeyspanCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The real file system: each method makes its one system call.
package struct POSIXFileSystem: FileSystem {
    /// Makes the file system.
    package init() {}

    package func openFile(_ path: String, for purpose: OpenPurpose) throws(SystemCallError) -> OpenFile {
        let descriptor = open(path, purpose.flags, purpose.permissions)
        if descriptor < 0 { throw SystemCallError(.open, path, errno) }
        return OpenFile(descriptor: descriptor, path: path)
    }

    package func readBytes(from file: OpenFile, atMost count: Int) throws(SystemCallError) -> [UInt8] {
        var failure: Int32?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            let result = read(file.descriptor, buffer.baseAddress, count)
            if result < 0 { failure = errno }
            initialized = max(result, 0)
        }
        if let failure { throw SystemCallError(.read, file.path, failure) }
        return bytes
    }

    package func writeBytes(_ bytes: ArraySlice<UInt8>, to file: OpenFile) throws(SystemCallError) -> Int {
        let (count, failure) = bytes.withUnsafeBytes { buffer in
            (write(file.descriptor, buffer.baseAddress, buffer.count), errno)
        }
        if count < 0 { throw SystemCallError(.write, file.path, failure) }
        return count
    }

    package func readBytes(
        from file: OpenFile,
        at offset: Int,
        atMost count: Int
    ) throws(SystemCallError) -> [UInt8] {
        var failure: Int32?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            let result = pread(file.descriptor, buffer.baseAddress, count, off_t(offset))
            if result < 0 { failure = errno }
            initialized = max(result, 0)
        }
        if let failure { throw SystemCallError(.pread, file.path, failure) }
        return bytes
    }

    package func writeBytes(
        _ bytes: ArraySlice<UInt8>,
        to file: OpenFile,
        at offset: Int
    ) throws(SystemCallError) -> Int {
        let (count, failure) = bytes.withUnsafeBytes { buffer in
            (pwrite(file.descriptor, buffer.baseAddress, buffer.count, off_t(offset)), errno)
        }
        if count < 0 { throw SystemCallError(.pwrite, file.path, failure) }
        return count
    }

    package func truncate(_ file: OpenFile, to size: Int) throws(SystemCallError) {
        try check(ftruncate(file.descriptor, off_t(size)), .ftruncate, file.path)
    }

    package func flush(_ file: OpenFile) throws(SystemCallError) {
        #if canImport(Darwin)
        // On Darwin fsync(2) leaves the bytes in the drive's cache; file systems that cannot do more return ENOTSUP.
        if fcntl(file.descriptor, F_FULLFSYNC) == 0 { return }
        if errno != ENOTSUP { throw SystemCallError(.fsync, file.path, errno) }
        #endif
        try check(fsync(file.descriptor), .fsync, file.path)
    }

    package func flushContents(of file: OpenFile) throws(SystemCallError) {
        #if canImport(Darwin)
        try flush(file)
        #else
        try check(fdatasync(file.descriptor), .fdatasync, file.path)
        #endif
    }

    package func lock(_ file: OpenFile, exclusively isExclusive: Bool) throws(SystemCallError) -> Bool {
        if flock(file.descriptor, (isExclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 { return true }
        if errno == EWOULDBLOCK { return false }
        throw SystemCallError(.flock, file.path, errno)
    }

    package func waitForLock(_ file: OpenFile, exclusively isExclusive: Bool) throws(SystemCallError) {
        try check(flock(file.descriptor, isExclusive ? LOCK_EX : LOCK_SH), .flock, file.path)
    }

    package func unlock(_ file: OpenFile) throws(SystemCallError) {
        try check(flock(file.descriptor, LOCK_UN), .flock, file.path)
    }

    package func closeFile(_ file: OpenFile) throws(SystemCallError) {
        try check(close(file.descriptor), .close, file.path)
    }

    package func status(of file: OpenFile) throws(SystemCallError) -> FileStatus {
        var status = stat()
        try check(fstat(file.descriptor, &status), .fstat, file.path)
        return FileStatus(status)
    }

    package func status(ofItemAt path: String) throws(SystemCallError) -> FileStatus {
        var status = stat()
        try check(lstat(path, &status), .lstat, path)
        return FileStatus(status)
    }

    package func identity(ofItemAt path: String) throws(SystemCallError) -> ItemIdentity {
        #if canImport(Glibc)
        if let identity = try LinuxCalls.identity(ofItemAt: path) { return identity }
        #endif
        return ItemIdentity(try status(ofItemAt: path).signature)
    }

    package func writeAndFlushBytes(
        _ bytes: ArraySlice<UInt8>,
        to file: OpenFile,
        at offset: Int
    ) throws(SystemCallError) -> Int {
        #if canImport(Glibc)
        if let count = try LinuxCalls.writeAndFlush(bytes, to: file, at: offset) { return count }
        #endif
        let count = try writeBytes(bytes, to: file, at: offset)
        try flushContents(of: file)
        return count
    }

    package func setPermissions(_ permissions: UInt32, of file: OpenFile) throws(SystemCallError) {
        try check(fchmod(file.descriptor, mode_t(truncatingIfNeeded: permissions)), .fchmod, file.path)
    }

    package func setModificationTime(_ nanoseconds: Int64, of file: OpenFile) throws(SystemCallError) {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let time = timespec(tv_sec: time_t(seconds), tv_nsec: Int(rest))
        // The first value is the time of the last access.
        try check(
            withUnsafeBytes(of: (time, time)) {
                futimens(file.descriptor, $0.bindMemory(to: timespec.self).baseAddress)
            },
            .futimens,
            file.path
        )
    }

    package func setOwner(_ owner: UInt32?, group: UInt32?, of file: OpenFile) throws(SystemCallError) {
        let unchanged = UInt32.max
        try check(fchown(file.descriptor, owner ?? unchanged, group ?? unchanged), .fchown, file.path)
    }

    package func target(ofLinkAt path: String) throws(SystemCallError) -> String {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &bytes, bytes.count)
        if count < 0 { throw SystemCallError(.readlink, path, errno) }
        // A text that fills the buffer may be truncated.
        if count == bytes.count { throw SystemCallError(.readlink, path, ENAMETOOLONG) }
        let units = bytes[..<count].map { UInt8(bitPattern: $0) }
        guard let target = String(validating: units, as: UTF8.self) else {
            throw SystemCallError(.readlink, path, EILSEQ)
        }
        return target
    }

    package func renameFile(_ path: String, to newPath: String) throws(SystemCallError) {
        try check(rename(path, newPath), .rename, newPath)
    }

    package func linkFile(_ path: String, to newPath: String) throws(SystemCallError) {
        try check(link(path, newPath), .link, newPath)
    }

    package func openUnnamedFile(for path: String) -> OpenFile? {
        #if os(Linux)
        // O_TMPFILE, a macro that Swift does not see. A kernel that does not know it refuses to write to a folder.
        let descriptor = open(
            AbsolutePath(path, relativeTo: "/").folder,
            0o20000000 | O_DIRECTORY | O_RDWR | O_CLOEXEC,
            0o600
        )
        if descriptor < 0 { return nil }
        // Its name is given through /proc, which a container need not have.
        if access(Self.procPath(of: descriptor), F_OK) == 0 { return OpenFile(descriptor: descriptor, path: path) }
        close(descriptor)
        #endif
        return nil
    }

    package func nameFile(_ file: OpenFile) throws(SystemCallError) {
        let link = Self.procPath(of: file.descriptor)
        try check(linkat(AT_FDCWD, link, AT_FDCWD, file.path, AT_SYMLINK_FOLLOW), .link, file.path)
    }

    private static func procPath(of descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

    package func removeFile(_ path: String) throws(SystemCallError) {
        try check(unlink(path), .unlink, path)
    }

    package func makeFolder(_ path: String, permissions: UInt32) throws(SystemCallError) {
        try check(mkdir(path, mode_t(truncatingIfNeeded: permissions)), .mkdir, path)
    }

    package func removeFolder(_ path: String) throws(SystemCallError) {
        try check(rmdir(path), .rmdir, path)
    }

    package func names(inFolder path: String) throws(SystemCallError) -> [String] {
        try items(inFolder: path).compactMap(\.text)
    }

    /// The names of all items in a folder except `.` and `..`, including those that are not UTF-8.
    package func items(inFolder path: String) throws(SystemCallError) -> [OutsideText] {
        guard let folder = opendir(path) else { throw SystemCallError(.opendir, path, errno) }
        defer { closedir(folder) }
        var names: [OutsideText] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                // The name ends with a NUL within its field.
                pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
                    OutsideText(cString: $0)
                }
            }
            if ![OutsideText("."), OutsideText("..")].contains(name) { names.append(name) }
        }
        return names
    }

    package var nanoseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    package var user: UInt32 { geteuid() }

    package func workingFolder() throws(SystemCallError) -> String {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard getcwd(&bytes, bytes.count) != nil else { throw SystemCallError(.getcwd, ".", errno) }
        let units = bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        guard let folder = String(validating: units, as: UTF8.self) else {
            throw SystemCallError(.getcwd, ".", EILSEQ)
        }
        return folder
    }

    private func check(_ result: Int32, _ call: SystemCall, _ path: String) throws(SystemCallError) {
        if result != 0 { throw SystemCallError(call, path, errno) }
    }
}

extension OpenPurpose {
    fileprivate var flags: Int32 {
        switch self {
        case .reading: O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        case .updating: O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        case .creating, .creatingByUmask: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        case .folder: O_RDONLY | O_DIRECTORY | O_CLOEXEC
        case .newFolder: O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        }
    }

    /// The permissions of a new file, from which the system takes away those of the umask.
    fileprivate var permissions: mode_t { self == .creatingByUmask ? 0o666 : 0o600 }
}

extension FileStatus {
    fileprivate init(_ status: stat) {
        let kind: Kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            case S_IFLNK: .symbolicLink
            default: .special
            }
        #if canImport(Darwin)
        let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
        #else
        let (modified, changed) = (status.st_mtim, status.st_ctim)
        #endif
        self.init(
            kind: kind,
            permissions: UInt32(status.st_mode) & 0o777,
            isSticky: UInt32(status.st_mode) & 0o1000 != 0,
            owner: status.st_uid,
            group: status.st_gid,
            links: Int(status.st_nlink),
            signature: FileSignature(
                device: UInt64(truncatingIfNeeded: status.st_dev),
                inode: UInt64(status.st_ino),
                size: Int(status.st_size),
                modified: Self.nanoseconds(modified),
                changed: Self.nanoseconds(changed)
            )
        )
    }

    /// Wraps around for dates centuries away, which a comparison tolerates.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
