/// Tells that a file may have changed, whoever changed it.
package protocol FileWatcher: Sendable {
    /// Begins to watch a file, and never fails: where the system cannot tell, the file is looked at again and again.
    ///
    /// A change after this returned is told. Who reads the file after that, and after each call, has seen the last version.
    /// A call may come without a change, for example after the process's own write.
    ///
    /// - Parameters:
    ///   - path: The file, or a link that leads to it. Neither it nor its folders need to exist.
    ///   - companion: Makes the name of a second file, which counts as well, of the name of the file. It is beside the file
    ///     that the links lead to, whose name is given.
    ///   - onPolling: Called at most once, on any thread and without a lock, when the file has to be looked at again and
    ///     again; also before this returns.
    ///   - onChange: Called, on the watcher's own threads and without a lock, after something may have changed. No call
    ///     begins before the last one has ended; what happens in the meantime is told in one call.
    /// - Returns: The watch, which ends when it is released.
    func watch(
        _ path: AbsolutePath,
        companion: @escaping @Sendable (String) -> String,
        onPolling: @escaping @Sendable (FileWatchError) -> Void,
        onChange: @escaping @Sendable () -> Void
    ) -> FileWatch
}
