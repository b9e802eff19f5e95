/// The system calls of ``FileSystem`` by their names.
package enum SystemCall: String, Sendable {
    case open, close, read, write, pread, pwrite, ftruncate, fsync, fdatasync, flock
    case fstat, lstat, fchmod, fchown, futimens, readlink, rename, link, unlink, mkdir, rmdir, opendir, getcwd
    // These belong to the watching of files, which does not go through ``FileSystem``.
    case inotifyInit = "inotify_init1"
    case inotifyAddWatch = "inotify_add_watch"
}
