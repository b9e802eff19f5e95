public import KeyspanCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A system call that failed: which one, on which file, and what the system answered.
public struct SystemCallError: Error, Sendable, Hashable {
    /// The name of the call, such as `fsync`.
    public let call: String
    /// The file or folder that it was made on.
    @UTF8Text public private(set) var path: String
    /// The answer as a number: `errno`.
    public let errorNumber: Int32

    /// Makes an error of a call, its path and `errno`.
    package init(_ call: SystemCall, _ path: String, _ errorNumber: Int32) {
        self.call = call.rawValue
        self.path = path
        self.errorNumber = errorNumber
    }

    /// The answer in the system's words, such as "No space left on device".
    public var text: String {
        // strerror(3) shares a buffer between threads only for numbers it does not know, and no call here returns those.
        String(cString: strerror(errorNumber))
    }
}

extension SystemCallError: CustomStringConvertible {
    /// The error as a clause.
    public var description: String {
        "\(call) of \(path.debugDescription) failed: \(text) (errno \(errorNumber))"
    }
}

extension SystemCallError {
    /// The file system took none of the bytes and gave no reason.
    static func nothingWritten(to path: String) -> SystemCallError { SystemCallError(.write, path, EIO) }

    /// Bytes that were written are not there any more after a flush that failed.
    static func lostBytes(of path: String) -> SystemCallError { SystemCallError(.pread, path, EIO) }

    /// Whether the file or one of the folders above it does not exist.
    package var isNotFound: Bool { errorNumber == ENOENT }

    /// Whether something on the way is no folder.
    var isNotFolder: Bool { errorNumber == ENOTDIR }

    /// Whether something of that name exists already.
    var isAlreadyThere: Bool { errorNumber == EEXIST }

    /// Whether a signal interrupted the call before it did anything.
    var isInterruption: Bool { errorNumber == EINTR }

    /// Whether the process may not do this, or the file system cannot express it.
    var isNotPermitted: Bool { errorNumber == EPERM || errorNumber == EINVAL || errorNumber == ENOTSUP }

    /// Whether the process may read but not write.
    var isWriteProtection: Bool { errorNumber == EACCES || errorNumber == EROFS || errorNumber == EPERM }

    /// Whether the user may not do this.
    var isRefusal: Bool { errorNumber == EACCES || errorNumber == EPERM }

    /// Whether the file system has no locks.
    var isWithoutLocks: Bool { [ENOLCK, ENOTSUP, EOPNOTSUPP, ENOSYS, EINVAL].contains(errorNumber) }

    /// Whether the file system does not offer the operation for this kind of file.
    var isNotOffered: Bool { errorNumber == EINVAL || errorNumber == ENOTSUP }
}
