#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What `stat` tells of a file that differs after it was replaced or written to.
struct FileSignature: Equatable {
    private let device: UInt64
    private let inode: UInt64
    private let size: Int64
    private let modification: [Int]

    /// Asks for the file at a path, with links followed.
    ///
    /// - Returns: `nil` if there is none.
    /// - Throws: The system's error if it cannot tell.
    init?(path: String) throws(POSIXFailure) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw POSIXFailure(code: errno)
        }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        #if canImport(Darwin)
        let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
        #else
        let (modified, changed) = (status.st_mtim, status.st_ctim)
        #endif
        modification = [modified.tv_sec, modified.tv_nsec, changed.tv_sec, changed.tv_nsec]
    }
}
