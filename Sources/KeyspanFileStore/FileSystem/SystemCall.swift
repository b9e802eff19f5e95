/// The system calls of ``FileSystem`` by their names.
package enum SystemCall: String, Sendable, Hashable, CaseIterable {
    case open, read, write, fsync, close, fstat, lstat, fchmod, fchown, readlink, rename, unlink, mkdir, getcwd
}
