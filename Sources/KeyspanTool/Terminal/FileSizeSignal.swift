#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// SIGXFSZ, which ends a process that writes beyond the limit of the size of files, such as that of `ulimit -f`.
enum FileSizeSignal {
    /// Ignores it from now on, so that such a write fails like any other: the command cleans up and says why.
    static func ignore() {
        signal(SIGXFSZ, SIG_IGN)
    }
}
