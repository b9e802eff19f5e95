/// The system calls of ``FileSystem`` by their names.
package enum SystemCall: String, Sendable {
    case open, read, write, fsync, close, fstat, lstat, fchmod, fchown, readlink, rename, unlink, mkdir, rmdir, getcwd
}
