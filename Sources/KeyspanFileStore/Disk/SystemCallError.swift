package import KeyspanCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A system call that failed: its name, the file it was made on, and the system's `errno`.
package struct SystemCallError: Error, Sendable, Hashable {
    /// The name of the call, such as `fsync`.
    package let call: String
    /// The file or folder that it was made on.
    @UTF8Text package private(set) var path: String
    /// The system's `errno`.
    package let errorNumber: Int32

    /// Makes an error of a call, its path and `errno`.
    package init(_ call: SystemCall, _ path: String, _ errorNumber: Int32) {
        self.call = call.rawValue
        self.path = path
        self.errorNumber = errorNumber
    }

    /// The system's description of ``errorNumber``, such as "No space left on device".
    package var text: String {
        // strerror(3) shares a buffer between threads only for unknown numbers, which no call here returns.
        String(cString: strerror(errorNumber))
    }
}

extension SystemCallError: CustomStringConvertible {
    /// The error as a clause.
    package var description: String {
        "\(call) of \(path.quoted) failed: \(text) (errno \(errorNumber))"
    }
}

extension SystemCallError {
    /// The file system does not have the call.
    static func notOffered(_ call: SystemCall, _ path: String) -> SystemCallError {
        SystemCallError(call, path, ENOTSUP)
    }

    /// The file system took none of the bytes and gave no reason.
    static func nothingWritten(to path: String) -> SystemCallError { SystemCallError(.write, path, EIO) }

    /// Bytes that were written are gone after a flush that failed.
    static func lostBytes(of path: String) -> SystemCallError { SystemCallError(.pread, path, EIO) }

    /// Whether the file or one of the folders above it does not exist.
    package var isNotFound: Bool { errorNumber == ENOENT }

    /// Whether a part of the path is not a folder.
    var isNotFolder: Bool { errorNumber == ENOTDIR }

    /// Whether an item of that name already exists.
    var isAlreadyThere: Bool { errorNumber == EEXIST }

    /// Whether a signal interrupted the call before it did anything.
    var isInterruption: Bool { errorNumber == EINTR }

    /// Whether the process lacks the permission, or the file system cannot express the attribute.
    var isNotPermitted: Bool { errorNumber == EPERM || errorNumber == EINVAL || errorNumber == ENOTSUP }

    /// Whether the process may read but not write.
    var isWriteProtection: Bool { errorNumber == EACCES || errorNumber == EROFS || errorNumber == EPERM }

    /// Whether the user lacks the permission.
    var isRefusal: Bool { errorNumber == EACCES || errorNumber == EPERM }

    /// Whether the file system has no locks.
    var isWithoutLocks: Bool { [ENOLCK, ENOTSUP, EOPNOTSUPP, ENOSYS, EINVAL].contains(errorNumber) }

    /// Whether the file system does not offer the operation for this kind of file.
    var isNotOffered: Bool { errorNumber == EINVAL || errorNumber == ENOTSUP }
}

extension SystemCallError {
    /// The remedy for the error, as a clause.
    var remedy: String {
        switch errorNumber {
        case ENOSPC, EDQUOT: "free space on the disk"
        case EROFS: "make the file system writable or choose another path"
        case EACCES, EPERM: "let the process read and write the file and its folder"
        case EFBIG: "raise the limit of the size of files, such as that of `ulimit -f`"
        case EMFILE, ENFILE: "close files that are not needed or raise the limit of open files"
        case EIO: "check the disk"
        case ENOENT: "create the folder"
        case ENOTDIR, EISDIR: "give the path of a file in a folder"
        case ELOOP: "remove the loop of symbolic links"
        case ENAMETOOLONG: "choose a shorter path"
        // A container that mounts the single file and not its folder.
        case EBUSY where call == SystemCall.rename.rawValue: "mount the folder of the file, and not the file alone"
        case EILSEQ: "choose a path that is UTF-8"
        default: "remove the cause that the system names"
        }
    }
}

extension FileSystem {
    /// The owner and the mode of the item of a call that the user lacks the permission for, or of the innermost folder around it that can be
    /// looked at, and the remedy; both as clauses.
    func refusal(of error: SystemCallError) -> (clause: String, remedy: String)? {
        var path = AbsolutePath(error.path, relativeTo: "/")
        while true {
            if let item = try? status(ofItemAt: path.text) {
                let mode = String(item.permissions, radix: 8)
                let padding = String(repeating: "0", count: max(0, 4 - mode.count))
                let clause =
                    "\(path.text.quoted) belongs to user \(item.owner) and group \(item.group) with mode \(padding)\(mode), and the "
                    + "process to user \(user)"
                return (clause, isSharedByGroup(path, item) ? Self.remedyForGroup : error.remedy)
            }
            if path.text == "/" { return nil }
            path = AbsolutePath(path.folder, relativeTo: "/")
        }
    }

    /// Whether the group of a file that only its owner may use may put files in the folder of the file.
    private func isSharedByGroup(_ path: AbsolutePath, _ item: FileStatus) -> Bool {
        guard item.kind == .regular, item.permissions & 0o060 != 0o060,
            let folder = try? status(ofItemAt: path.folder + "/.")
        else { return false }
        return folder.permissions & 0o020 != 0 && folder.group == item.group
    }

    private static var remedyForGroup: String {
        "give its group the permission (`chmod g+rw`), and open the store with `newFiles: .followUmask` in its options for new files"
    }
}
