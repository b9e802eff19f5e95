#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension SystemCallError {
    /// What a person can do about it, as a clause.
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
        // A container in which one file is mounted, and not its folder.
        case EBUSY where call == SystemCall.rename.rawValue: "mount the folder of the file, and not the file alone"
        case EILSEQ: "choose a path that is UTF-8"
        default: "remove the cause that the system names"
        }
    }
}
