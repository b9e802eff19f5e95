#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Why the system cannot tell of an item, in the clauses that ``FileWatchError`` is made of.
struct ItemWatchError: Error {
    /// What is wrong, as a clause without a full stop.
    let reason: String
    /// What to do about it, as a clause without a full stop.
    let remedy: String
    /// The system call that failed, if one did.
    let underlying: SystemCallError?
}

extension ItemWatchError {
    /// A system call failed.
    init(_ error: SystemCallError) {
        self.init(reason: "\(error)", remedy: Self.remedy(for: error), underlying: error)
    }

    /// Others can change the files of a file system without this system's knowledge.
    static func remote(_ type: String) -> ItemWatchError {
        ItemWatchError(
            reason: "it is on a remote file system (\(type)), which does not tell of changes by others",
            remedy: "choose a path on a local disk if changes have to arrive sooner",
            underlying: nil
        )
    }

    private static func remedy(for error: SystemCallError) -> String {
        switch (error.call, error.errorNumber) {
        case (SystemCall.inotifyInit.rawValue, EMFILE):
            "raise fs.inotify.max_user_instances (sysctl) or the limit of open files"
        case (SystemCall.inotifyAddWatch.rawValue, ENOSPC):
            "raise fs.inotify.max_user_watches (sysctl)"
        case (_, EACCES):
            "let the process read the folders on the way to the file"
        case (_, ENOMEM):
            "free memory"
        default:
            error.remedy
        }
    }
}
