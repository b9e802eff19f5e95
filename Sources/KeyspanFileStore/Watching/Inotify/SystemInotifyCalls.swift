#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

#if !canImport(Darwin)
/// The calls of the machine: each method makes its one system call.
package struct SystemInotifyCalls: InotifyCalls {
    /// Makes the calls.
    package init() {}

    package func makeInstance(for path: String) throws(SystemCallError) -> Int32 {
        let instance = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        if instance < 0 { throw SystemCallError(.inotifyInit, path, errno) }
        return instance
    }

    package func addWatch(_ path: String, mask: UInt32, to instance: Int32) throws(SystemCallError) -> Int32 {
        let watch = inotify_add_watch(instance, path, mask)
        if watch < 0 { throw SystemCallError(.inotifyAddWatch, path, errno) }
        return watch
    }

    package func removeWatch(_ watch: Int32, from instance: Int32) {
        inotify_rm_watch(instance, watch)
    }
}
#endif
