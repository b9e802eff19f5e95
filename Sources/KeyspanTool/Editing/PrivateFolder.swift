import KeyspanCore
import KeyspanFileStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A new folder that only the user can open.
///
/// It stays open and is used by that, because its path may lead elsewhere later: in a folder that others may write to, they can move it
/// away and put a link in its place.
struct PrivateFolder {
    /// The path that it was made at.
    let path: String

    private let file: OpenFile
    private let device: dev_t
    private let inode: ino_t

    /// Makes the folder.
    init(at path: String) throws(SystemCallError) {
        let fileSystem = InterruptRetryingFileSystem()
        try fileSystem.makeFolder(path, permissions: 0o700)
        self.path = path
        file = try fileSystem.openFile(path, for: .newFolder)
        var status = stat()
        let isKnown = fstat(file.descriptor, &status) == 0
        (device, inode) = (status.st_dev, status.st_ino)
        // Not one of the user's other folders, which somebody could have moved there in the meantime.
        guard isKnown, status.st_uid == geteuid(), names.isEmpty else { throw SystemCallError(.mkdir, path, ESTALE) }
    }

    /// Opens a file in the folder: the name itself, without waiting for the writer of a pipe.
    func openFile(_ name: String, isNew: Bool = false) throws(SystemCallError) -> OpenFile {
        let flags = isNew ? O_RDWR | O_CREAT | O_EXCL : O_RDONLY | O_NONBLOCK
        var descriptor: Int32
        repeat {
            descriptor = openat(file.descriptor, name, flags | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC, 0o600)
        } while descriptor < 0 && errno == EINTR
        guard descriptor >= 0 else { throw SystemCallError(.open, "\(path)/\(name)", errno) }
        return OpenFile(descriptor: descriptor, path: "\(path)/\(name)")
    }

    /// Whether the folder has an item of that name; if that cannot be found out, it has.
    func contains(_ name: String) -> Bool {
        var status = stat()
        return fstatat(file.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT
    }

    /// The names of all items in the folder, which need not be UTF-8.
    var names: [OutsideText] { Self.names(in: file.descriptor) }

    /// Removes the folder with its contents, of a link only the link and of another file system nothing.
    ///
    /// - Parameter name: The item that is removed first, because it matters most.
    /// - Throws: The first failure, after everything else has been removed; `ESTALE` if the path does not lead to the folder any more.
    func remove(first name: String) throws(SystemCallError) {
        defer { close(file.descriptor) }
        _ = remove(OutsideText(name), in: file.descriptor, at: path)
        var failure: SystemCallError?
        // A program that is about to end may still add files.
        for _ in 1...5 {
            failure = empty(file.descriptor, at: path)
            var status = stat()
            if lstat(path, &status) != 0 {
                if errno == ENOENT, failure == nil { return }
            } else if (status.st_dev, status.st_ino) != (device, inode) {
                throw failure ?? SystemCallError(.rmdir, path, ESTALE)
            }
            if rmdir(path) == 0 { return }
            failure = failure ?? SystemCallError(.rmdir, path, errno)
        }
        if let failure { throw failure }
    }

    /// Removes the items of an open folder, and returns the first failure.
    private func empty(_ folder: Int32, at path: String) -> SystemCallError? {
        var failure: SystemCallError?
        for name in Self.names(in: folder) {
            let next = remove(name, in: folder, at: path)
            failure = failure ?? next
        }
        return failure
    }

    /// Removes an item, and returns the failure.
    private func remove(_ item: OutsideText, in folder: Int32, at path: String) -> SystemCallError? {
        let name = item.bytes.map { CChar(truncatingIfNeeded: $0) } + [0]
        let path = "\(path)/\(item.repaired)"
        if unlinkat(folder, name, 0) == 0 || errno == ENOENT { return nil }
        let failure = SystemCallError(.unlink, path, errno)
        func isOwnFolder(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFDIR && status.st_dev == device }
        var status = stat()
        guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0, isOwnFolder(status) else { return failure }
        // It may be one that the user cannot list.
        fchmodat(folder, name, 0o700, AT_SYMLINK_NOFOLLOW)
        let inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard inner >= 0 else { return SystemCallError(.opendir, path, errno) }
        defer { close(inner) }
        guard fstat(inner, &status) == 0, isOwnFolder(status) else { return failure }
        let left = empty(inner, at: path)
        if unlinkat(folder, name, AT_REMOVEDIR) == 0 || errno == ENOENT { return nil }
        return left ?? SystemCallError(.rmdir, path, errno)
    }

    private static func names(in folder: Int32) -> [OutsideText] {
        // An editor may have taken away the permissions.
        fchmod(folder, 0o700)
        let descriptor = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        guard let list = fdopendir(descriptor) else {
            close(descriptor)
            return []
        }
        defer { closedir(list) }
        var names: [OutsideText] = []
        while let entry = readdir(list) {
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
}
