#if !canImport(Darwin)
/// The system calls of inotify(7), so that tests can let each of them fail.
///
/// The events are read from the instance's descriptor.
package protocol InotifyCalls: Sendable {
    /// Makes an instance, which is read without waiting: `inotify_init1(2)`, with `IN_CLOEXEC` and `IN_NONBLOCK`.
    ///
    /// - Parameter path: What it is made for; only the error needs it.
    /// - Returns: Its descriptor.
    func makeInstance(for path: String) throws(SystemCallError) -> Int32

    /// Watches a folder or a file for events: `inotify_add_watch(2)`.
    ///
    /// - Returns: The number of the watch: the same for a folder or file that the instance watches already.
    func addWatch(_ path: String, mask: UInt32, to instance: Int32) throws(SystemCallError) -> Int32

    /// Ends a watch: `inotify_rm_watch(2)`. It may have ended with the folder or file.
    func removeWatch(_ watch: Int32, from instance: Int32)
}
#endif
